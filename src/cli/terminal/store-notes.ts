import { readManifest } from '../../store/manifest.js';
import type { Output } from './output.js';
import { formatCount } from './quantities.js';

/** Says what a user of a store should know before using its events: segments without checksums or set aside. */
export async function warnOfStore(folder: string, out: Output): Promise<void> {
  const manifest = await readManifest(folder).catch(() => undefined); // the command itself reports what is wrong
  if (manifest === undefined) return;
  const unsealed = manifest.segments.filter(({ sha256 }) => sha256 === undefined).length;
  if (unsealed > 0) {
    out.info(
      `${formatCount(unsealed)} segments have no checksum, because recal 0.1.0 wrote them; add checksums with: recal verify --store DIR --add`,
    );
  }
  for (const { path, kind, rows } of manifest.setAside) {
    out.warn(
      `${path} was damaged and set aside; its ${formatCount(rows)} ${kind === 'events' ? 'events' : 'entity records'} are not used`,
    );
  }
}
