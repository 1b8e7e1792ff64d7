import { describe, expect, it } from 'vitest';
import { matchLabels } from '../../../src/evaluate/labels/label-match.js';
import { parseLabels } from '../../../src/evaluate/labels/parse-labels.js';

/** A UUID of one repeated digit. */
const id = (digit: string) => '00000000-0000-0000-0000-000000000000'.replaceAll('0', digit);
const nodes = ['1', '2', '3', '4', '5', '6'].map(id);
const six = { count: 6, key: (v: number) => nodes[v] };
const csv = (...rows: string[]) => parseLabels(`uuid,attack,tier\n${rows.join('\n')}\n`, 'labels.csv');

describe('matched labels', () => {
  const labels = csv(
    `${id('2')},A1,core`,
    `${id('a')},A2,core`,
    `${id('5').toLowerCase()},A3;A1,touched`,
    `${id('3')},,core`,
    `${id('b')},A1,core`,
  );

  it('mark nodes and attacks, and count unmatched labels', () => {
    const match = matchLabels(labels, six);
    expect([...match.positives]).toEqual([0, 1, 1, 0, 1, 0]);
    expect([...match.ignored]).toEqual([0, 0, 0, 0, 0, 0]);
    expect(match.attacks).toEqual({
      names: ['A1', 'A3'],
      offsets: Uint32Array.of(0, 2, 3),
      nodes: Int32Array.of(1, 4, 4),
    });
    expect(match.attacksUnmatched).toEqual(['A2']);
    expect(match.unmatched).toEqual([id('a'), id('b')]);
    expect(match.counts).toEqual({
      nodes: 6,
      positives: 3,
      ignored: 0,
      labels: 5,
      labelsUnmatched: 2,
      labelsInTraining: 0,
      withoutAttack: 1,
      labelledAndIgnored: 0,
    });
  });

  it('ignore nodes unless they are labelled', () => {
    const ignore = parseLabels([id('1'), id('2'), id('f'), id('6')].join('\n'), 'ambiguous.txt');
    const match = matchLabels(labels, six, { ignore });
    expect([...match.ignored]).toEqual([1, 0, 0, 0, 0, 1]);
    expect([...match.positives]).toEqual([0, 1, 1, 0, 1, 0]);
    expect(match.counts).toMatchObject({
      nodes: 4,
      positives: 3,
      ignored: 2,
      labelledAndIgnored: 1,
    });
  });

  it('count the labels of training entities, whether or not they are in the test', () => {
    const known = [id('5'), id('A'), id('6')];
    const match = matchLabels(labels, six, { training: { count: 3, key: (v) => known[v] } });
    expect(match.counts.labelsInTraining).toBe(2);
    expect(match.inTraining).toEqual([id('a'), id('5')]);
  });

  it('have no attacks if the file names none', () => {
    expect(matchLabels(parseLabels(id('4'), 'x.txt'), six)).toMatchObject({
      attacks: null,
      attacksUnmatched: [],
      counts: { withoutAttack: 1 },
    });
  });

  it('label the node of every host that uses the id', () => {
    const match = matchLabels(labels, { count: 3, key: () => id('2') });
    expect(match.counts).toMatchObject({ positives: 3, labelsUnmatched: 4 });
    expect([...(match.attacks?.nodes ?? [])]).toEqual([0, 1, 2]);
  });

  it('match node ids in either case', () => {
    expect(matchLabels(parseLabels(id('A'), 'x'), { count: 1, key: () => id('a') }).counts.positives).toBe(1);
  });

  it('are refused if no node is labelled, with an example of a label and a node', () => {
    expect(() => matchLabels(csv(`${id('c')},A1,core`), six)).toThrow(
      expect.objectContaining({
        code: 'labels-no-match',
        hint: expect.stringMatching(new RegExp(`'${id('c')}'.*'${id('1')}'`)),
        where: { file: 'labels.csv' },
      }),
    );
    expect(() => matchLabels(labels, { ...six, count: 0 })).toThrow(
      expect.objectContaining({ code: 'labels-no-match' }),
    );
  });
});
