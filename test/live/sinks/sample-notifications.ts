import type { Notification } from '../../../src/live/sinks/notification.js';

/** A process name that tries to break out of every format. */
const HOSTILE =
  "x\u001b[2J\r\nCEF:0|a|b=c\\|<!channel> @here &<script>alert(1)</script>\u202e'\";DROP\u0000\ud800=cmd|'/C calc'!A0";

export function notificationWith(changes: Partial<Notification> = {}): Notification {
  return {
    id: '0123456789abcdef',
    revision: 1,
    status: 'new',
    host: 'web1',
    model: 'a'.repeat(64),
    rank: 1,
    score: 12.5,
    severity: 'high',
    title: '.cache.sh on web1',
    sentence: '`.cache.sh` was never run on this host.',
    first: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    last: Date.UTC(2026, 0, 2, 3, 9, 0, 1),
    root: { id: 'pid:7@1', type: 'process', name: '/tmp/.cache.sh' },
    entities: [
      {
        id: 'pid:7@1',
        type: 'process',
        name: '/tmp/.cache.sh',
        score: 12.5,
        pid: 7,
        cmd: 'sh /tmp/.cache.sh',
      },
      { id: '/etc/shadow', type: 'file', name: '/etc/shadow', score: 9, pid: null, cmd: null },
      { id: '198.51.100.7:443', type: 'flow', name: '198.51.100.7:443', score: 8, pid: null, cmd: null },
      { id: '[2001:db8::1]:53', type: 'flow', name: '[2001:db8::1]:53', score: 7, pid: null, cmd: null },
      { id: 'hklm/run', type: 'registry', name: null, score: 1, pid: null, cmd: null },
    ],
    ...changes,
  };
}

/** A notification whose every text is hostile. */
export function hostileNotification(): Notification {
  const notification = notificationWith();
  return {
    ...notification,
    host: HOSTILE,
    title: HOSTILE,
    sentence: HOSTILE,
    root: { ...notification.root, name: HOSTILE, id: HOSTILE },
    entities: notification.entities.map((entity) => ({
      ...entity,
      name: HOSTILE,
      id: HOSTILE,
      cmd: HOSTILE,
    })),
  };
}
