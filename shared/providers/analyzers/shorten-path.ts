/** Shortens a path for summaries. A long path keeps its first two and last two folders. */
export function shortenPath(path: string): string {
  const folders = path.split('/')
  if (path.length <= 75 || folders.length <= 4) return path
  return [...folders.slice(0, 2), '...', ...folders.slice(-2)].join('/')
}
