import { basename, delimiter, dirname, join, normalize } from 'node:path'

/**
 * Restores the user's PATH: removes the folders that npm and the launcher add, so that programs and
 * plugins find the user's tools. These are the `.bin` folders of this project and its parents,
 * npm's folder for node-gyp, and the Node of this project. Folders of other projects and empty
 * entries stay. Pure; `projectRoot` is absolute.
 */
export function restoreUserPath(path: string, projectRoot: string): string {
  const addedFolders = new Set([join(projectRoot, 'node_modules', 'node', 'bin')])
  for (const folder of parentFoldersOf(projectRoot))
    addedFolders.add(join(folder, 'node_modules', '.bin'))
  return path
    .split(delimiter)
    .filter(entry => !addedFolders.has(normalizeEntry(entry)) && basename(entry) !== 'node-gyp-bin')
    .join(delimiter)
}

/** Returns a folder and all its parents. npm adds the `.bin` folder of each. */
function parentFoldersOf(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...parentFoldersOf(parent)]
}

/**
 * Normalizes the spelling of a folder: no doubled or trailing slashes. An empty entry stays empty,
 * because it means the current folder.
 */
function normalizeEntry(entry: string): string {
  if (entry === '') return ''
  return join(normalize(entry), '.')
}
