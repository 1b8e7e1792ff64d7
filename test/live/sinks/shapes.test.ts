import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UNSAFE } from '../../../src/base/printable.js';
import { SEVERITIES } from '../../../src/detect/alerts/severity.js';
import { SHAPES } from '../../../src/live/sinks/open-sink.js';
import { hostileNotification, notificationWith } from './sample-notifications.js';

const shapeOf = (name: string) => SHAPES.find((shape) => shape.name === name) as (typeof SHAPES)[number];
const json = (name: string, notification = notificationWith()) =>
  JSON.parse(shapeOf(name).message(notification));

// Written from the published specifications: npm has no schema of these formats.
const iso = z.iso.datetime();
const SCHEMAS: Record<string, z.ZodType> = {
  ocsf: z.object({
    activity_id: z.union([z.literal(1), z.literal(2), z.literal(3)]),
    category_uid: z.literal(2),
    class_uid: z.literal(2004),
    type_uid: z.int().min(200401).max(200403),
    severity_id: z.int().min(1).max(6),
    status_id: z.int().min(1).max(5),
    time: z.int().positive(),
    metadata: z.object({
      version: z.string().regex(/^\d+\.\d+\.\d+$/),
      product: z.object({ name: z.string(), vendor_name: z.string(), version: z.string() }),
    }),
    finding_info: z.object({
      uid: z.string().min(1),
      title: z.string(),
      analytic: z.object({ type_id: z.int() }),
    }),
    device: z.object({ hostname: z.string(), type_id: z.int() }),
    evidences: z.array(
      z.object({
        process: z
          .object({ name: z.string(), pid: z.int().optional(), cmd_line: z.string().optional() })
          .optional(),
        file: z.object({ name: z.string(), type_id: z.int() }).optional(),
        dst_endpoint: z.object({ ip: z.string().optional(), port: z.int().optional() }).optional(),
      }),
    ),
  }),
  ecs: z.object({
    '@timestamp': iso,
    ecs: z.object({ version: z.string() }),
    event: z.object({
      kind: z.literal('alert'),
      category: z.array(z.literal(['intrusion_detection', 'process', 'file', 'network'])),
      type: z.array(z.literal(['info', 'change', 'start'])),
      severity: z.int(),
      id: z.string(),
    }),
    host: z.object({ name: z.string() }),
    message: z.string(),
  }),
  falco: z.object({
    output: z.string().min(1),
    priority: z.literal([
      'Emergency',
      'Alert',
      'Critical',
      'Error',
      'Warning',
      'Notification',
      'Informational',
      'Debug',
    ]),
    rule: z.string().min(1),
    time: iso,
    tags: z.array(z.string()),
    output_fields: z.record(z.string(), z.string()),
  }),
  otlp: z.object({
    resourceLogs: z
      .array(
        z.object({
          resource: z.object({ attributes: z.array(z.object({ key: z.string(), value: z.object({}) })) }),
          scopeLogs: z.array(
            z.object({
              logRecords: z.array(
                z.object({
                  timeUnixNano: z.string().regex(/^\d{19}$/),
                  severityNumber: z.int().min(1).max(24),
                  body: z.object({ stringValue: z.string() }),
                  attributes: z.array(
                    z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }),
                  ),
                }),
              ),
            }),
          ),
        }),
      )
      .length(1),
  }),
  slack: z.strictObject({ text: z.string().min(1).max(40_000) }),
  recal: z.object({ id: z.string(), revision: z.int(), entities: z.array(z.object({ type: z.string() })) }),
  stix: z.object({
    type: z.literal('bundle'),
    id: z.string().regex(/^bundle--[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    objects: z.array(
      z.object({
        type: z.string(),
        spec_version: z.literal('2.1'),
        id: z.string().regex(/^[a-z0-9-]+--[0-9a-f-]{36}$/),
      }),
    ),
  }),
};

describe.each(SHAPES)('$name', (shape) => {
  it.each(['ordinary', 'hostile'])('an %s notification is one line without control characters', (kind) => {
    const message = shape.message(kind === 'hostile' ? hostileNotification() : notificationWith());
    expect(message.match(UNSAFE)).toBeNull();
    expect(message).not.toBe('');
  });

  it('is the same for the same notification', () => {
    expect(shape.message(notificationWith())).toBe(shape.message(notificationWith()));
  });

  it('works for an incident without further entities', () => {
    expect(() => shape.message(notificationWith({ entities: [] }))).not.toThrow();
  });
});

it.each(Object.keys(SCHEMAS))('%s fits its specification, with every severity and status', (name) => {
  for (const severity of SEVERITIES) {
    for (const status of ['new', 'updated', 'closed'] as const) {
      for (const notification of [
        notificationWith({ severity, status }),
        { ...hostileNotification(), severity, status },
      ]) {
        SCHEMAS[name].parse(json(name, notification));
      }
    }
  }
});

it('every JSON shape has a specification to fit', () => {
  const checked = SHAPES.filter(({ contentType }) => contentType.includes('json')).map(({ name }) => name);
  expect(checked.sort()).toEqual(Object.keys(SCHEMAS).sort());
});

describe('cef', () => {
  /** Splits a message like a collector does: the header at seven pipes without a backslash, then keys and values. */
  function parseCef(message: string) {
    const [whole, ...header] =
      /^([^|]*)\|((?:\\.|[^\\|])*)\|((?:\\.|[^\\|])*)\|((?:\\.|[^\\|])*)\|((?:\\.|[^\\|])*)\|((?:\\.|[^\\|])*)\|(\d+)\|/.exec(
        message,
      ) ?? [''];
    const fields: Record<string, string> = {};
    const extension = message.slice(whole.length);
    for (const [, key, value] of extension.matchAll(/(\w+)=((?:\\.|[^\\=])*)(?= \w+=|$)/g))
      fields[key] = value.replace(/\\(.)/g, '$1');
    return { header, fields };
  }

  it('has seven header fields and the extension', () => {
    const { header, fields } = parseCef(shapeOf('cef').message(notificationWith()));
    expect(header).toHaveLength(7);
    expect(header.slice(0, 3)).toEqual(['CEF:0', 'RECAL', 'recal']);
    expect(header[6]).toBe('8');
    expect(fields).toMatchObject({
      dvchost: 'web1',
      spid: '7',
      dst: '198.51.100.7',
      dpt: '443',
      filePath: '/etc/shadow',
    });
  });

  it('a hostile name adds neither header fields nor keys', () => {
    const { header, fields } = parseCef(shapeOf('cef').message(hostileNotification()));
    expect(header).toHaveLength(7);
    expect(Object.keys(fields)).not.toContain('b');
    expect(fields.cn1).toBe('1');
  });
});

describe('slack', () => {
  it('a name can neither mention people nor open a tag', () => {
    const { text } = json('slack', hostileNotification());
    expect(text).not.toMatch(/<!|@here|@channel|<script/);
  });
});

describe('stix', () => {
  it('every reference leads to an object of the bundle', () => {
    const { objects } = json('stix') as { objects: Record<string, unknown>[] };
    const ids = new Set(objects.map(({ id }) => id));
    const references = objects.flatMap((object) =>
      Object.entries(object).flatMap(([key, value]) =>
        key.endsWith('_ref') ? [value] : key.endsWith('_refs') ? (value as unknown[]) : [],
      ),
    );
    expect(references.length).toBeGreaterThan(5);
    expect(references.filter((id) => !ids.has(id))).toEqual([]);
    expect(objects.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'process',
        'file',
        'ipv4-addr',
        'ipv6-addr',
        'network-traffic',
        'observed-data',
        'grouping',
      ]),
    );
  });
});
