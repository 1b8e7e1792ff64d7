import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AARCH64_CALLS } from '../../../src/ingest/kernel/syscalls/aarch64.js';
import { COLLECTION_RULES } from '../../../src/ingest/rules/rules.js';
import { newFolder } from '../../folders.js';

const auditd = (architecture: 'x86_64' | 'aarch64', without?: string) =>
  COLLECTION_RULES.auditd.text({ architecture, without });
const lines = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('audit rules', () => {
  test('have comments on lines of their own, remove no other rules and lock nothing', () => {
    for (const line of lines(auditd('x86_64', 'shipper'))) {
      expect(line).toMatch(/^-/);
      expect(line).not.toContain('#');
      expect(line).not.toMatch(/^-D|^-e/);
    }
  });

  test('name a user only if one is given', () => {
    expect(auditd('x86_64')).not.toContain('-F uid=');
    expect(lines(auditd('x86_64', 'shipper'))).toContain('-a never,exit -F uid=shipper');
  });

  test('for aarch64 name only calls that it has', () => {
    const known = new Set(AARCH64_CALLS.split(/\s+/));
    const rules = lines(auditd('aarch64')).filter((line) => line.includes('arch=b64'));
    expect(rules.length).toBeGreaterThan(5);
    for (const rule of rules) {
      for (const call of (/ -S (\S+)/.exec(rule)?.[1] ?? '').split(',')) expect(known, call).toContain(call);
    }
  });

  // Where the kernel has no audit system, or auditctl is not installed or not permitted, loading is not tested. Neither is it
  // where rules are loaded: equal rules of a host that is really recorded would be taken out.
  const canLoad =
    process.platform === 'linux' &&
    process.arch === 'x64' &&
    spawnSync('auditctl', ['-l'], { encoding: 'utf8' }).stdout?.trim() === 'No rules';
  test.skipIf(!canLoad)('load into the kernel, and can be taken out again', () => {
    const before = auditctl('-l');
    const status = auditctl('-s');
    const path = join(newFolder(), 'recal.rules');
    const rules = lines(auditd('x86_64'));
    writeFileSync(path, auditd('x86_64'));
    try {
      const loaded = spawnSync('auditctl', ['-R', path], { encoding: 'utf8' });
      expect(`${loaded.stderr}`.replace(/^Rule exists.*$/gm, '')).not.toMatch(/error|invalid|unknown/i);
      expect(loaded.status).toBe(0);
      const listed = auditctl('-l');
      for (const key of [
        'process',
        'file',
        'folder',
        'change',
        'network',
        'identity',
        'rare',
        '32bit',
        'tamper',
      ])
        expect(listed).toContain(`recal_${key}`);
    } finally {
      for (const rule of rules) {
        if (rule.startsWith('-a ')) auditctl('-d', ...rule.slice(3).split(' '));
        if (rule.startsWith('-w ')) auditctl('-W', ...rule.slice(3).split(' '));
      }
      for (const [option, name] of [
        ['-b', 'backlog_limit'],
        ['--backlog_wait_time', 'backlog_wait_time'],
      ])
        auditctl(option, new RegExp(`^${name} (\\d+)$`, 'm').exec(status)?.[1] ?? '');
    }
    expect(auditctl('-l')).toBe(before);
  });
});

function auditctl(...options: string[]): string {
  return spawnSync('auditctl', options, { encoding: 'utf8' }).stdout;
}

describe('the rules of other sensors', () => {
  test.each(['tetragon', 'falco', 'sysmon'])('%s says what it is for and what it costs', (source) => {
    const text = COLLECTION_RULES[source].text({ architecture: 'x86_64' });
    expect(text).toContain('for RECAL');
    expect(text).toMatch(/Cost: /);
    expect(text.endsWith('\n')).toBe(true);
  });

  test('for Sysmon are well-formed', () => {
    const xml = COLLECTION_RULES.sysmon.text({ architecture: 'x86_64' });
    const open: string[] = [];
    for (const [, close, name, empty] of xml
      .replace(/<!--[\s\S]*?-->/g, '')
      .matchAll(/<(\/?)([A-Za-z]+)(?:\s[^<>]*?)?(\/?)>/g)) {
      if (close === '/') expect(open.pop()).toBe(name);
      else if (empty === '') open.push(name);
    }
    expect(open).toEqual([]);
    expect(xml.match(/<!--(?:(?!-->)[\s\S])*--(?!>)/)).toBeNull();
  });
});
