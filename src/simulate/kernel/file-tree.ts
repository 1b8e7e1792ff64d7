import { FileNode, type User } from './entities.js';
import type { UuidShape } from './uuid-shapes.js';

export type FileKind = FileNode['kind'];

/** The files of a host by path. A path first asked for is taken to have been there all along. */
export class FileTree {
  private readonly byPath = new Map<string, FileNode>();
  private nextInode: number;

  constructor(
    private readonly uuids: UuidShape,
    private readonly root: User,
    firstInode: number,
  ) {
    this.nextInode = firstInode;
  }

  get(path: string): FileNode {
    let node = this.byPath.get(path);
    if (!node) {
      node = this.make(path, kindOf(path), this.root, false);
      this.byPath.set(path, node);
    }
    return node;
  }

  has(path: string): boolean {
    return this.byPath.has(path);
  }

  /** A new inode under this path; the earlier one, if any, is forgotten. */
  create(path: string, owner: User, transient: boolean, kind: FileKind = kindOf(path)): FileNode {
    const node = this.make(path, kind, owner, transient);
    this.byPath.set(path, node);
    return node;
  }

  /** A node that no path leads to: an accepted UNIX socket, a file already unlinked. */
  anonymous(kind: FileKind, name: string): FileNode {
    return this.make(name, kind, this.root, true);
  }

  remove(node: FileNode): void {
    if (this.byPath.get(node.name) === node) this.byPath.delete(node.name);
  }

  /** Moves a node to another path and returns the node that was there before. */
  move(node: FileNode, to: string): FileNode | undefined {
    const replaced = this.byPath.get(to);
    this.remove(node);
    node.name = to;
    node.text = '';
    this.byPath.set(to, node);
    return replaced;
  }

  get size(): number {
    return this.byPath.size;
  }

  private make(path: string, kind: FileKind, owner: User, transient: boolean): FileNode {
    const inode = this.nextInode++;
    return new FileNode(this.uuids.file(inode), kind, path, inode, owner, transient);
  }
}

function kindOf(path: string): FileKind {
  if (path.endsWith('/')) return 'directory';
  if (path.startsWith('/dev/')) return /^\/dev\/(sd|ada|nvme|loop)/.test(path) ? 'block' : 'char';
  return 'file';
}
