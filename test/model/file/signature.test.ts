import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readModelFile, writeModelFile } from '../../../src/model/file/model-file.js';
import { signModelFile, writeKeys } from '../../../src/model/file/signature.js';
import { runHere } from '../../cli/run-here.js';
import { newFolder } from '../../folders.js';
import { smallModel } from '../small-models.js';

async function signed() {
  const folder = newFolder();
  const model = join(folder, 'model.recal');
  const key = join(folder, 'team.key');
  await writeModelFile(model, smallModel());
  const { publicKey: trust } = await writeKeys(key);
  await signModelFile(model, key);
  return { folder, model, key, trust, signature: `${model}.sig` };
}

test('a signed model is read with the key that is trusted', async () => {
  const { model, trust, key } = await signed();
  expect((await readModelFile(model, trust)).id).toBe(smallModel().id);
  expect(statSync(key).mode & 0o077).toBe(0);
});

describe('a model is refused', () => {
  test('without a signature', async () => {
    const { model, trust, signature } = await signed();
    rmSync(signature);
    await expect(readModelFile(model, trust)).rejects.toMatchObject({ code: 'model-unsigned' });
    expect((await readModelFile(model)).id).toBe(smallModel().id); // no key is set
  });

  test('if it was written again after it was signed, with a new checksum', async () => {
    const { model, trust } = await signed();
    await writeModelFile(model, smallModel(), { meta: { other: true }, tensors: [] });
    await expect(readModelFile(model, trust)).rejects.toMatchObject({
      code: 'model-unsigned',
      message: expect.stringContaining('changed'),
    });
  });

  test('if another key signed it', async () => {
    const { folder, model, trust } = await signed();
    await writeKeys(join(folder, 'other.key'));
    await signModelFile(model, join(folder, 'other.key'));
    await expect(readModelFile(model, trust)).rejects.toMatchObject({ code: 'model-unsigned' });
  });

  test('if the signature is for the checksum of another model', async () => {
    const { model, trust, signature } = await signed();
    const other = JSON.parse(readFileSync(signature, 'utf8'));
    await writeModelFile(model, smallModel(), { meta: { other: true }, tensors: [] });
    const header = readFileSync(model).toString('latin1');
    const [, sha256] = /"sha256":"([0-9a-f]{64})"/.exec(header) ?? [];
    writeFileSync(signature, JSON.stringify({ ...other, sha256 }));
    await expect(readModelFile(model, trust)).rejects.toMatchObject({ code: 'model-unsigned' });
  });

  test.each(['', 'x', '{}', '[]', 'null', '{"format":"recal-signature","version":1}'])(
    'with %j as its signature',
    async (text) => {
      const { model, trust, signature } = await signed();
      writeFileSync(signature, text);
      await expect(readModelFile(model, trust)).rejects.toMatchObject({ code: 'model-unsigned' });
    },
  );
});

test('a key is never replaced, and other files are no keys', async () => {
  const { folder, model, key } = await signed();
  const before = readFileSync(key);
  await expect(writeKeys(key)).rejects.toMatchObject({ code: 'key-invalid' });
  expect(readFileSync(key)).toEqual(before);
  writeFileSync(join(folder, 'rsa'), 'no key');
  await expect(signModelFile(model, join(folder, 'rsa'))).rejects.toMatchObject({ code: 'key-invalid' });
  await expect(readModelFile(model, join(folder, 'rsa'))).rejects.toMatchObject({ code: 'key-invalid' });
});

test('the command makes keys, signs and verifies, and takes the key from the environment', async () => {
  const folder = newFolder();
  const run = (words: string[], env: Record<string, string> = {}) => runHere(words, { cwd: folder, env });
  const model = join(folder, 'm.recal');
  await writeModelFile(model, smallModel());
  const key = join(folder, 'k');
  expect((await run(['model', 'key', key])).code).toBe(0);
  const trusted = { RECAL_TRUST: `${key}.pub` };
  expect((await run(['model', 'show', model], trusted)).stderr).toContain('no signature');
  expect((await run(['model', 'sign', model])).code).toBe(2);
  expect((await run(['model', 'sign', model, '--key', key])).code).toBe(0);
  expect((await run(['model', 'verify', model, '--trust', `${key}.pub`])).code).toBe(0);
  expect((await run(['model', 'show', model], trusted)).code).toBe(0);
  expect((await run(['model', 'verify', model])).code).toBe(2);
});

/** openssl is on most machines, but not on all. */
const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version']);
    return true;
  } catch {
    return false;
  }
})();

test.runIf(hasOpenssl)('keys of openssl can be used', async () => {
  const { folder, model } = await signed();
  const [key, trust] = [join(folder, 'o.key'), join(folder, 'o.pub')];
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', key]);
  execFileSync('openssl', ['pkey', '-in', key, '-pubout', '-out', trust]);
  await signModelFile(model, key);
  expect(existsSync(`${model}.sig`)).toBe(true);
  expect((await readModelFile(model, trust)).id).toBe(smallModel().id);
});
