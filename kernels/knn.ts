// Exact nearest neighbours (method §7). Each function takes pieces of a job until none is left, on any number of threads.
// Its arguments are the addresses of the setup, the job and the thread's scratch memory.

export { exact } from './knn/exact';
export { rotate, assignCells } from './knn/rotate';
export { screen } from './knn/screen';
