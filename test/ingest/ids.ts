// A process, two files, and the all-zero UUID, which means "absent" in logs.
export const P = 'AAAAAAAA-0000-4000-8000-000000000001';
export const F = 'BBBBBBBB-0000-4000-8000-000000000002';
export const G = 'BBBBBBBB-0000-4000-8000-000000000003';
export const ZERO = '00000000-0000-0000-0000-000000000000';
