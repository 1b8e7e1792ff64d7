import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { EXIT, isSystemError, RecalError } from '../../base/errors.js';
import { replaceFile } from '../../base/files/replace-file.js';
import { printable } from '../../base/printable.js';
import { TensorFile } from './tensor-file.js';
import { MODEL_FILE } from './tensor-header.js';

/**
 * Signatures of model files with Ed25519. The checksum in a model file finds accidents; anybody who may write the file can
 * write a new one. A signature is in a file of its own beside the model, `MODEL.sig`, and covers the checksum.
 */

const signatureSchema = z.strictObject({
  format: z.literal('recal-signature'),
  version: z.literal(1),
  /** Checksum in the model file, which covers all of its bytes. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Base64. */
  signature: z.string().max(128),
});

/** Larger than any key or signature. */
const MOST_BYTES = 1 << 16;

function signaturePath(model: string): string {
  return `${model}.sig`;
}

/** Writes a new pair of keys: the private one to `path`, the public one to `path.pub`. Never replaces a key. */
export async function writeKeys(path: string): Promise<{ privateKey: string; publicKey: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const files = [
    [path, privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600],
    [`${path}.pub`, publicKey.export({ type: 'spki', format: 'pem' }), 0o644],
  ] as const;
  for (const [name, pem, mode] of files) {
    const file = await open(name, 'wx', mode).catch((cause: unknown) => {
      if (!isSystemError(cause, 'EEXIST')) throw cause;
      throw keyError(name, 'already exists', 'choose another path; recal never replaces a key', cause);
    });
    await file.writeFile(pem).finally(() => file.close());
  }
  return { privateKey: path, publicKey: `${path}.pub` };
}

/** Signs a model after checking all of it. Returns the path of the signature. */
export async function signModelFile(
  path: string,
  privateKey: string,
): Promise<{ signature: string; sha256: string }> {
  const key = await readKey(privateKey, createPrivateKey, 'private');
  const file = await TensorFile.open(path, MODEL_FILE);
  try {
    await file.read();
    const { sha256 } = file;
    const signature = sign(null, messageOf(sha256), key).toString('base64');
    const content = { format: 'recal-signature', version: 1, sha256, signature };
    await replaceFile(signaturePath(path), `${JSON.stringify(content)}\n`);
    return { signature: signaturePath(path), sha256 };
  } finally {
    await file.close();
  }
}

/** Throws unless a model with this checksum is signed with the private key that belongs to `publicKey`. */
export async function checkSignature(model: string, sha256: string, publicKey: string): Promise<void> {
  const key = await readKey(publicKey, createPublicKey, 'public');
  const path = signaturePath(model);
  const text = await readSmall(path).catch((cause: unknown) => {
    if (!isSystemError(cause, 'ENOENT')) throw cause;
    throw unsigned(model, 'it has no signature', cause);
  });
  const parsed = signatureSchema.safeParse(parseJson(text));
  if (!parsed.success) throw unsigned(model, `${printable(path)} is not a signature of recal`);
  if (parsed.data.sha256 !== sha256) throw unsigned(model, 'it was changed after it was signed');
  const bytes = Buffer.from(parsed.data.signature, 'base64');
  if (!verify(null, messageOf(sha256), key, bytes)) throw unsigned(model, 'another key signed it');
}

function messageOf(sha256: string): Buffer {
  return Buffer.from(`${MODEL_FILE.format} ${sha256}`, 'utf8');
}

async function readKey(
  path: string,
  create: (pem: string) => KeyObject,
  kind: 'public' | 'private',
): Promise<KeyObject> {
  const pem = await readSmall(path);
  let key: KeyObject;
  try {
    key = create(pem);
  } catch (cause) {
    throw keyError(path, `is not a ${kind} key in PEM form`, KEY_HINT, cause);
  }
  if (key.asymmetricKeyType !== 'ed25519') throw keyError(path, 'is not an Ed25519 key', KEY_HINT);
  return key;
}

const KEY_HINT = 'make a pair of keys with: recal model key FILE; sign with FILE, and trust FILE.pub';

async function readSmall(path: string): Promise<string> {
  const bytes = await readFile(path);
  return bytes.length > MOST_BYTES ? '' : bytes.toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unsigned(model: string, why: string, cause?: unknown): RecalError {
  return new RecalError('model-unsigned', `the model ${printable(model)} is not trusted: ${why}`, {
    hint: 'if you trust the file, sign it with: recal model sign FILE --key KEY; otherwise get it again from its source',
    where: { file: model },
    cause,
  });
}

function keyError(path: string, what: string, hint: string, cause?: unknown): RecalError {
  return new RecalError('key-invalid', `${printable(path)} ${what}`, {
    hint,
    where: { file: path },
    exit: EXIT.usage,
    cause,
  });
}
