/** A path as summaries show it: of a long one with many folders the first and the last two. */
export function shortenPath(path: string): string {
  const folders = path.split('/')
  if (path.length <= 75 || folders.length <= 4) return path
  return [...folders.slice(0, 2), '...', ...folders.slice(-2)].join('/')
}
