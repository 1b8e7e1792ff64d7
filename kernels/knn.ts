// Exact nearest neighbours (method §7). Each function takes pieces of a job until none is left, on any number of threads;
// arguments are the addresses of the reference's setup, of the job and of the thread's own scratch.

export { exact } from './knn/exact';
export { rotate, settle } from './knn/rotate';
export { screen } from './knn/screen';
