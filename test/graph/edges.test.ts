import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIRECTIONS } from '../../src/graph/direction.js';
import { countRelations, deriveEdges } from '../../src/graph/edges.js';
import { FLOW_IN, FLOW_OUT } from '../../src/ingest/flow.js';
import { arbitraryRows, type EventRow, RELATIONS, tableOf } from '../store/event-rows.js';

const [WRITE, READ] = [0, 1];

function edgesOf(rows: EventRow[], direction = DIRECTIONS.flow) {
  const edges = deriveEdges(tableOf(rows, RELATIONS, 10), direction);
  const list = Array.from(
    edges.src,
    (src, i) => `${src}>${edges.dst[i]} r${edges.relation[i]} e${edges.event[i]}`,
  );
  const { noObject, secondObject, noSubject } = edges.counts;
  return { list, noObject, secondObject, noSubject };
}

describe('deriveEdges', () => {
  it('follows the flow of information', () => {
    const rows = [
      { subj: 1, obj: 2, rel: WRITE },
      { subj: 1, obj: 2, rel: READ },
    ];
    expect(edgesOf(rows).list).toEqual(['1>2 r0 e0', '2>1 r1 e1']);
    expect(edgesOf(rows, DIRECTIONS.none).list).toEqual(['1>2 r0 e0', '1>2 r1 e1']);
  });

  it('prefers the direction in the log if the direction table allows it', () => {
    const rows = [
      { subj: 1, obj: 2, rel: WRITE, flow: FLOW_IN },
      { subj: 1, obj: 2, rel: READ, flow: FLOW_OUT },
    ];
    expect(edgesOf(rows).list).toEqual(['2>1 r0 e0', '1>2 r1 e1']);
    expect(edgesOf(rows, DIRECTIONS.magic).list).toEqual(['1>2 r0 e0', '2>1 r1 e1']);
  });

  it('makes a second edge from a second object', () => {
    const rows = [
      { subj: 1, obj: 2, obj2: 3, rel: READ },
      { subj: 1, obj: 4 },
    ];
    const list = ['2>1 r1 e0', '3>1 r1 e0', '1>4 r0 e1'];
    expect(edgesOf(rows)).toEqual({ list, noObject: 0, secondObject: 1, noSubject: 0 });
  });

  it('makes no edge from an event without an object', () => {
    expect(edgesOf([{ subj: 1 }])).toEqual({ list: [], noObject: 1, secondObject: 0, noSubject: 0 });
  });

  it('uses the second object if the first is absent', () => {
    const expected = { list: ['1>3 r0 e0'], noObject: 0, secondObject: 0, noSubject: 0 };
    expect(edgesOf([{ subj: 1, obj2: 3 }])).toEqual(expected);
  });

  it('connects the two objects of an event without a subject', () => {
    const rows = [
      { obj: 2, obj2: 3, rel: WRITE },
      { obj: 2, obj2: 3, rel: READ },
      { obj: 2, obj2: 3, rel: WRITE, flow: FLOW_IN },
    ];
    const list = ['2>3 r0 e0', '3>2 r1 e1', '3>2 r0 e2'];
    expect(edgesOf(rows)).toEqual({ list, noObject: 0, secondObject: 0, noSubject: 0 });
  });

  it('skips and counts events with neither a subject nor two objects', () => {
    const rows = [{ obj: 2 }, { obj2: 2 }, {}];
    expect(edgesOf(rows)).toEqual({ list: [], noObject: 0, secondObject: 0, noSubject: 3 });
  });

  it('keeps self-loops, and node and relation number 0', () => {
    expect(edgesOf([{ subj: 0, obj: 0, obj2: 0 }]).list).toEqual(['0>0 r0 e0', '0>0 r0 e0']);
  });

  it('accounts for every event', () => {
    fc.assert(
      fc.property(arbitraryRows(4, 30), (rows) => {
        const edges = deriveEdges(tableOf(rows, RELATIONS, 4), DIRECTIONS.flow);
        const { events, noObject, noSubject, secondObject } = edges.counts;
        expect(edges.length).toBe(events - noObject - noSubject + secondObject);
        expect(new Set(edges.event).size).toBe(events - noObject - noSubject);
        expect(edges.event).toEqual(edges.event.slice().sort());
        expect([...edges.src, ...edges.dst].every((node) => node >= 0)).toBe(true);
      }),
    );
  });
});

describe('countRelations', () => {
  it('counts each event that makes an edge once', () => {
    const rows = [
      { subj: 1, obj: 2, obj2: 3, rel: 2 },
      { subj: 1, obj: 2, rel: 2 },
      { subj: 1, rel: 2 },
      { obj: 1, rel: 2 },
      { obj: 1, obj2: 2, rel: 1 },
    ];
    const edges = deriveEdges(tableOf(rows, RELATIONS, 4), DIRECTIONS.flow);
    expect([...countRelations(edges, 3)]).toEqual([0, 1, 2]);
  });
});
