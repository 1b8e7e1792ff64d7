// The page docs/reference/api.md: every export of the package with its doc comment, by typedoc.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application } from 'typedoc';

export const path = 'docs/reference/api.md';

/** Types of records are inferred from these zod schemas, which are not part of the API. */
const SCHEMAS = [
  'alertSchema',
  'evidence',
  'interaction',
  'moment',
  'entityRef',
  'incidentSchema',
  'CHECKS',
  'STATUSES',
  'VERDICTS',
  'entrySchema',
  'rule',
  'suppression',
  'runSchema',
  'detectionConfigSchema',
  'trainingConfigSchema',
  'manifestSchema',
  'segmentSchema',
  'summarySchema',
  'evaluationSchema',
];

export async function render() {
  const out = mkdtempSync(join(tmpdir(), 'recal-api-'));
  try {
    const app = await Application.bootstrapWithPlugins({
      entryPoints: ['src/index.ts'],
      tsconfig: 'tsconfig.build.json',
      plugin: ['typedoc-plugin-markdown'],
      outputs: [{ name: 'markdown', path: out }],
      outputFileStrategy: 'modules',
      entryFileName: 'api.md',
      mergeReadme: true,
      readme: 'none',
      name: 'Library reference',
      hidePageHeader: true,
      hideBreadcrumbs: true,
      disableSources: true,
      excludePrivate: true,
      excludeInternal: true,
      parametersFormat: 'table',
      interfacePropertiesFormat: 'table',
      typeDeclarationFormat: 'table',
      useCodeBlocks: true,
      treatValidationWarningsAsErrors: true,
      intentionallyNotExported: SCHEMAS,
      validation: { notExported: true, notDocumented: false, invalidLink: true },
      logLevel: 'Warn',
    });
    const project = await app.convert();
    if (project === undefined) throw new Error('typedoc could not read src/index.ts');
    app.validate(project);
    if (app.logger.hasErrors() || app.logger.hasWarnings()) {
      throw new Error('typedoc found problems in the public API; see above');
    }
    await app.generateOutputs(project);
    const text = readFileSync(join(out, 'api.md'), 'utf8');
    // Rows of tables have no headings, so that links to properties lead nowhere.
    return text.replace(/\[([^\]]+)\]\(#property-[^)]*\)/g, '$1');
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
