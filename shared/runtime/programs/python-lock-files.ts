/** The address of a package on another host. */
const remotePattern = /^(?:(?:git|hg|svn|bzr)\+)?(?:https?|ssh|git):\/\//

/**
 * Reports whether a lock file of uv names a local folder or file, whose contents it does not show.
 * A `virtual` source installs nothing.
 */
export function hasLocalUvSource(lock: string): boolean {
  return [...lock.matchAll(/\bsource\s*=\s*\{\s*([\w-]+)\s*=\s*"([^"]*)"/g)].some(
    ([, kind = '', value = '']) => kind !== 'virtual' && !remotePattern.test(value),
  )
}

/** Reports whether a lock file of poetry names a local folder or file. */
export function hasLocalPoetrySource(lock: string): boolean {
  return [...lock.matchAll(/^\s*type\s*=\s*"([^"]*)"/gm)].some(
    ([, kind = '']) => !['git', 'legacy', 'url'].includes(kind),
  )
}
