import { createHmac } from 'node:crypto';

/** HMAC-SHA256 over the timestamp, a full stop and the body, in hexadecimal. */
export function signature(secret: string, timestamp: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}
