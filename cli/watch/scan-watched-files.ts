import { readdirSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import {
  isIgnored,
  readIgnoreRules,
  type IgnoreRules,
} from '../../shared/programs/archive/ignore-rules.ts'

/** The files that a watcher compares, and the folders in which a file can appear. */
export interface WatchedFiles {
  /** Time of change and size of each file, by its path. */
  readonly files: ReadonlyMap<string, string>
  readonly folders: readonly string[]
}

/** Folders that tools write. No source file of a program is in them. */
const ignoredFolders: ReadonlySet<string> = new Set([
  ...['.git', '.hg', '.svn', '.idea', '.vscode', '.pulumi', '.antichain'],
  ...['node_modules', 'venv', '.venv', '__pycache__', '.mypy_cache', '.pytest_cache'],
])
/** Files that editors write beside the edited file (`4913` is of Vim), and compiled Python. */
const ignoredFilePattern = /^(\.#.*|#.*#|4913|\.DS_Store|.*(~|\.sw[a-z]|\.tmp|\.pyc))$/

/**
 * Reads the files below `roots`, which are folders or files. Omits folders of tools, files of
 * editors, and files that `.gitignore` or `.antichainignore` excludes. A file that vanishes
 * meanwhile is omitted too.
 */
export function scanWatchedFiles(roots: readonly string[]): WatchedFiles {
  const files = new Map<string, string>()
  const folders = new Set<string>()
  for (const root of roots) {
    const isFolder = readStat(root)?.isDirectory() === true
    if (isFolder) scanFolder({ root, files, folders }, root, [])
    else {
      folders.add(dirname(root))
      addFile(files, root)
    }
  }
  return { files, folders: [...folders] }
}

interface Scan {
  readonly root: string
  readonly files: Map<string, string>
  readonly folders: Set<string>
}

function scanFolder(scan: Scan, folder: string, parentRules: readonly IgnoreRules[]): void {
  scan.folders.add(folder)
  const rules = [...parentRules, ...readIgnoreRules(scan.root, relative(scan.root, folder))]
  for (const entry of readFolder(folder)) {
    const path = join(folder, entry.name)
    const isFolder = entry.isDirectory()
    if (isIgnored(rules, relative(scan.root, path), isFolder)) continue
    if (isFolder && !ignoredFolders.has(entry.name)) scanFolder(scan, path, rules)
    else if (!isFolder && !ignoredFilePattern.test(basename(path))) addFile(scan.files, path)
  }
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function addFile(files: Map<string, string>, path: string): void {
  const stat = readStat(path)
  if (stat?.isFile() === true) files.set(path, `${stat.mtimeMs}/${stat.size}`)
}

/** Returns undefined for a missing file, and for a link that leads to itself. */
function readStat(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** Returns the paths of files that were added, changed or removed, in order. */
export function findChangedFiles(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter(path => before.get(path) !== after.get(path)).sort()
}
