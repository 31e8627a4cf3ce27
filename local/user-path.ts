import { delimiter, join, sep } from 'node:path'

/**
 * PATH as the user has it: without what npm and our own launcher put in front, so that programs and
 * plugins find the user's tools and not ours.
 */
export function userPath(path: string, projectRoot: string): string {
  const ours = join(projectRoot, 'node_modules', 'node', 'bin')
  const isPutThere = (folder: string): boolean =>
    folder === ours ||
    folder.endsWith(join('node_modules', '.bin')) ||
    folder.includes(`${sep}node-gyp-bin`)
  return path
    .split(delimiter)
    .filter(folder => !isPutThere(folder))
    .join(delimiter)
}
