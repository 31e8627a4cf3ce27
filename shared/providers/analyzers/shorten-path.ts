/** Shortens a path of more than 75 characters to its first two and last two parts. */
export function shortenPath(path: string): string {
  const folders = path.split('/')
  if (path.length <= 75 || folders.length <= 4) return path
  return [...folders.slice(0, 2), '...', ...folders.slice(-2)].join('/')
}
