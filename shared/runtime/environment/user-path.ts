import { basename, delimiter, dirname, join, normalize } from 'node:path'

/**
 * PATH as the user has it: without what npm and our own launcher put in front (the `.bin` folders
 * of this project and its parents, npm's folder for node-gyp, our own Node), so that programs and
 * plugins find the user's tools. Folders of other projects and empty entries stay. Pure;
 * `projectRoot` is absolute.
 */
export function restoreUserPath(path: string, projectRoot: string): string {
  const ours = new Set([join(projectRoot, 'node_modules', 'node', 'bin')])
  for (const folder of parentFoldersOf(projectRoot)) ours.add(join(folder, 'node_modules', '.bin'))
  return path
    .split(delimiter)
    .filter(entry => !ours.has(normalizeEntry(entry)) && basename(entry) !== 'node-gyp-bin')
    .join(delimiter)
}

/** A folder and all that hold it, as npm walks them. */
function parentFoldersOf(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...parentFoldersOf(parent)]
}

/** One spelling of a folder: no doubled or closing slashes. Empty stays empty: it means "here". */
function normalizeEntry(entry: string): string {
  if (entry === '') return ''
  return join(normalize(entry), '.')
}
