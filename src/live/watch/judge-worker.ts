import { SpanJudge } from './judge-span.js';
import { serveRequests } from './worker-process.js';

const judge = new SpanJudge();
serveRequests((request: Parameters<SpanJudge['judge']>[0]) => judge.judge(request));
