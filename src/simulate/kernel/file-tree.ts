import { FileNode, type User } from './entities.js';
import type { UuidScheme } from './uuid-schemes.js';

export type FileKind = FileNode['kind'];

/** The files of a host by path. An unknown path counts as a file that existed before the log began. */
export class FileTree {
  private readonly byPath = new Map<string, FileNode>();
  private nextInode: number;

  constructor(
    private readonly uuids: UuidScheme,
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

  /** Creates an inode at this path and forgets the earlier one. */
  create(path: string, owner: User, transient: boolean, kind: FileKind = kindOf(path)): FileNode {
    const node = this.make(path, kind, owner, transient);
    this.byPath.set(path, node);
    return node;
  }

  /** Creates a node without a path, such as an accepted UNIX socket. */
  anonymous(kind: FileKind, name: string): FileNode {
    return this.make(name, kind, this.root, true);
  }

  remove(node: FileNode): void {
    if (this.byPath.get(node.name) === node) this.byPath.delete(node.name);
  }

  /** Moves a node to another path and forgets the node at that path. */
  move(node: FileNode, to: string): void {
    this.remove(node);
    node.name = to;
    node.text = '';
    this.byPath.set(to, node);
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
