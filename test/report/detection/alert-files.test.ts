import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ALERT_VERSION } from '../../../src/detect/alerts/alert.js';
import {
  type AlertFilesToWrite,
  readAlertFiles,
  verifyAlertFiles,
  writeAlertFiles,
} from '../../../src/report/detection/alert-files.js';
import { HOSTILE, MODEL, makeSmallAlerts } from '../../detect/alerts/small-alerts.js';
import { newFolder, sharedFolder } from '../../folders.js';

const NAMES = ['alerts.csv', 'alerts.jsonl', 'incidents.jsonl', 'run.json'];
let content: AlertFilesToWrite;

beforeAll(async () => {
  const folder = sharedFolder();
  const { terminal, bidi, long, surrogate, formula } = HOSTILE;
  const { alerts, incidents } = await makeSmallAlerts(folder, {
    nginx: formula,
    dropper: bidi,
    shell: terminal,
    secret: long,
    page: surrogate,
  });
  const run = {
    model: MODEL,
    threshold: { value: 5, rule: 'budget:5/day', note: 'extrapolated' },
    selection: { split: null, host: null, from: null, to: '1522972900000000000' },
    store: join(folder, 'store'),
    hosts: ['h'],
    counts: { alerts: alerts.length, incidents: incidents.length, events: 35 },
  };
  content = { run, alerts, incidents };
});

const bytesOf = (folder: string) => NAMES.map((name) => readFileSync(join(folder, name), 'utf8'));

describe('an alerts folder', () => {
  test('is read back as it was written', async () => {
    const folder = join(newFolder(), 'a', 'b');
    const run = await writeAlertFiles(folder, content);
    expect(readdirSync(folder).sort()).toEqual(NAMES);
    const read = await readAlertFiles(folder);
    expect(read).toEqual({ run, alerts: content.alerts, incidents: content.incidents });
    expect(run).toMatchObject(content.run);
  });

  test('has the same bytes for any order of the alerts, also over an older folder', async () => {
    const [one, two] = [newFolder(), newFolder()];
    await writeAlertFiles(one, content);
    await writeAlertFiles(two, { ...content, alerts: content.alerts.slice(0, 1), incidents: [] });
    await writeAlertFiles(two, { ...content, alerts: [...content.alerts].reverse() });
    expect(bytesOf(two)).toEqual(bytesOf(one));
  });

  test('has its page in the checksums, and no page of an earlier run', async () => {
    const folder = newFolder();
    const page = '<meta name="generator" content="recal 1">';
    const run = await writeAlertFiles(folder, { ...content, report: page });
    expect(run.files['report.html']).toMatchObject({ bytes: page.length });
    expect(await verifyAlertFiles(folder)).toEqual([]);
    appendFileSync(join(folder, 'report.html'), ' ');
    expect(await verifyAlertFiles(folder)).toEqual([expect.stringContaining('report.html does not match')]);
    await writeAlertFiles(folder, content);
    expect(readdirSync(folder).sort()).toEqual(NAMES);
    expect(await verifyAlertFiles(folder)).toEqual([]);
  });

  test('is safe on a terminal and in a spreadsheet', async () => {
    const folder = newFolder();
    await writeAlertFiles(folder, content);
    const [csv, ...json] = bytesOf(folder);
    for (const text of json) {
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u);
    }
    const lines = csv.split('\r\n');
    expect(lines).toHaveLength(1 + content.alerts.length + 1);
    expect(csv.replaceAll('\r\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    // The name of the second alert is a formula.
    expect(lines[2]).toContain(`,"'=HYPERLINK(""http://x"",""y"")",98651,`);
    // One line per record, whatever the names contain.
    expect(json[0].split('\n')).toHaveLength(content.alerts.length + 1);
  });

  test('may have no alerts', async () => {
    const folder = newFolder();
    await writeAlertFiles(folder, { ...content, alerts: [], incidents: [] });
    expect(await readAlertFiles(folder)).toMatchObject({ alerts: [], incidents: [] });
  });
});

describe('refused', () => {
  test('a folder without alerts', async () => {
    await expect(readAlertFiles(newFolder())).rejects.toMatchObject({ code: 'no-alerts' });
    await expect(readAlertFiles('/nowhere/at/all')).rejects.toMatchObject({ code: 'no-alerts' });
  });

  test.each([
    ['not JSON', '{', 'alerts-damaged'],
    ['from another program', '{"version":1}', 'foreign-file'],
    ['with a newer version', `{"format":"recal-alerts","version":${ALERT_VERSION + 1}}`, 'alerts-version'],
    ['without its content', `{"format":"recal-alerts","version":${ALERT_VERSION}}`, 'alerts-damaged'],
  ])('run.json %s', async (_, text, code) => {
    const folder = newFolder();
    writeFileSync(join(folder, 'run.json'), text);
    await expect(readAlertFiles(folder)).rejects.toMatchObject({ code });
  });

  test('a file that was changed later', async () => {
    const folder = newFolder();
    await writeAlertFiles(folder, content);
    const path = join(folder, 'alerts.jsonl');
    appendFileSync(path, '\n');
    await expect(readAlertFiles(folder)).rejects.toMatchObject({
      code: 'alerts-damaged',
      where: { file: path },
    });
  });

  test('run.json with a changed number', async () => {
    const folder = newFolder();
    await writeAlertFiles(folder, content);
    const path = join(folder, 'run.json');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('"value":5', '"value":7'));
    await expect(readAlertFiles(folder)).rejects.toMatchObject({ code: 'alerts-damaged' });
  });

  test('writing an invalid record', async () => {
    const folder = newFolder();
    const [first, ...rest] = content.alerts;
    const alerts = [{ ...first, score: Number.NaN }, ...rest];
    await expect(writeAlertFiles(folder, { ...content, alerts })).rejects.toThrow();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('an invalid record, with its line', async () => {
    const folder = newFolder();
    const run = await writeAlertFiles(folder, content);
    const path = join(folder, 'alerts.jsonl');
    const lines = readFileSync(path, 'utf8').split('\n');
    for (const [line, message] of [
      ['{', 'JSON'],
      [lines[1].replace('"severity":"', '"severity":"very '), 'severity: '],
      [lines[1].replace('{', '{"__proto__":{},'), ''],
    ]) {
      const text = [lines[0], line, ...lines.slice(2)].join('\n');
      writeFileSync(path, text);
      const sha256 = createHash('sha256').update(text).digest('hex');
      const files = { ...run.files, 'alerts.jsonl': { bytes: text.length, sha256 } };
      writeFileSync(join(folder, 'run.json'), JSON.stringify({ ...run, files, checksum: undefined }));
      await expect(readAlertFiles(folder)).rejects.toMatchObject({
        code: 'alerts-damaged',
        where: { file: path, line: 2 },
        message: expect.stringContaining(message),
      });
    }
  });

  test('overwriting files that recal did not write', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'alerts.csv'), 'mine');
    await expect(writeAlertFiles(folder, content)).rejects.toMatchObject({ code: 'foreign-file' });
    const other = newFolder();
    writeFileSync(join(other, 'run.json'), '{"name":"marathon"}');
    await expect(writeAlertFiles(other, content)).rejects.toMatchObject({ code: 'foreign-file' });
    expect(readFileSync(join(folder, 'alerts.csv'), 'utf8')).toBe('mine');
  });

  test('but not overwriting an interrupted run', async () => {
    const folder = newFolder();
    await writeAlertFiles(folder, content);
    writeFileSync(join(folder, 'run.json'), '{"for');
    await writeAlertFiles(folder, content);
    expect((await readAlertFiles(folder)).alerts).toHaveLength(content.alerts.length);
  });
});
