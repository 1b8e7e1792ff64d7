import { type LearnRequest, learnModel } from './learn-model.js';
import { serveRequests } from './worker-process.js';

serveRequests((request: LearnRequest) => learnModel(request));
