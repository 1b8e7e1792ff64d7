import { expect, test } from 'vitest';
import { behavioursOf } from '../../../../src/detect/episodes/novelty/behaviours.js';

test('a file has its directory, extension and whole name, from coarse to fine', () => {
  expect(behavioursOf('read', 'file', '/srv/shop/exports/2024/deep/r1.csv.gz')).toEqual([
    { kind: 'rel', what: ['read', 'file'] },
    { kind: 'dir', what: ['read', 'file', '/srv/shop/exports'] },
    { kind: 'ext', what: ['read', 'file', 'gz'] },
    { kind: 'name', what: ['read', 'file', '/srv/shop/exports/<n>/deep/r<n>.csv.gz'] },
  ]);
});

test.each([
  ['34.201.88.65:443', '34.201', 443],
  ['34.201.88.65:51234', '34.201', 'high'],
  ['[2001:db8:1::5]:22', '2001:db8:1', 22],
  ['not an address', 'not an address', ''],
])('the flow %s is in the network %s with the port %s', (name, net, port) => {
  expect(behavioursOf('connect', 'flow', name)).toEqual([
    { kind: 'rel', what: ['connect', 'flow'] },
    { kind: 'net', what: ['connect', net] },
    { kind: 'port', what: ['connect', port] },
  ]);
});

test('other objects only have the relation', () => {
  expect(behavioursOf('map', 'memory', 'x')).toEqual([{ kind: 'rel', what: ['map', 'memory'] }]);
});
