// The rooms in the order data walks through them (docs/concepts/architecture.md). A room may use the rooms above it, never below.
const rooms = [
  'base',
  'ingest',
  'store',
  'graph',
  'features',
  'compute',
  'model',
  'detect',
  'report',
  'pipeline',
  'evaluate',
  'simulate',
  'live',
  'serve',
  'demo',
  'cli',
];

// `simulate` writes logs that every other room reads as if they were real, so it may know only `base` and `ingest`.
const extra = [
  {
    name: 'simulate-stands-alone',
    comment: 'The simulator must not learn from the detector it is used to judge.',
    severity: 'error',
    from: { path: '^src/simulate/' },
    to: { path: '^src/', pathNot: '^src/(simulate|base|ingest)/' },
  },
];

const layers = rooms.map((room, index) => ({
  name: `layer-${room}`,
  comment: `${room} may use only the rooms before it: ${rooms.slice(0, index).join(', ') || 'none'}`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: `^src/(${[...rooms.slice(index + 1), 'index\\.ts$'].join('|')})` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layers,
    ...extra,
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependency',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
