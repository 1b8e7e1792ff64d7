import { arch } from 'node:process';
import { z } from 'zod';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings/settings.js';
import { RULE_ARCHITECTURES } from '../../ingest/rules/rule-options.js';
import { COLLECTION_RULES } from '../../ingest/rules/rules.js';
import { defineCommand } from '../command.js';

const SOURCES = Object.keys(COLLECTION_RULES);

export const command = defineCommand({
  details:
    'Prints what the sensor should record. Comments say what each line is for and what it costs. Installs and changes nothing. The pages ' +
    'docs/how-to/logs-*.md show how to install it and what to do next.',
  examples: ['recal rules auditd > recal.rules', 'recal rules auditd --arch aarch64', 'recal rules sysmon'],
  arguments: { source: { description: `${SOURCES.slice(0, -1).join(', ')} or ${SOURCES.at(-1)}` } },
  settings: defineSettings({
    arch: {
      type: z.enum(RULE_ARCHITECTURES).optional(),
      description: 'processor architecture of the recorded host (auditd only)',
      value: 'ARCH',
      defaultText: 'that of this machine',
    },
    without: {
      type: z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,31}$/, 'expected the name of a user')
        .optional(),
      description: 'do not record the processes of this user, such as a log shipper (auditd only)',
      value: 'USER',
    },
  }),
  async run({ source }, { arch: given, without }, { out }) {
    if (!Object.hasOwn(COLLECTION_RULES, source)) {
      throw new RecalError('usage', `there are no rules for ${printable(source, 80)}`, {
        hint: `use one of: ${SOURCES.join(', ')}`,
        exit: EXIT.usage,
      });
    }
    const { file, text } = COLLECTION_RULES[source];
    const architecture = given ?? (arch === 'arm64' ? 'aarch64' : 'x86_64');
    const rules = text({ architecture, without });
    out.result({ source, file, rules }, () => rules.trimEnd().split('\n'));
    return EXIT.done;
  },
});
