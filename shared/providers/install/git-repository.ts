import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'
import { installLimits as limits } from '../../config/install-limits.ts'
import { createError } from '../../errors/error.ts'
import { parseTagVersion } from './git-address.ts'
import { hideCredentials } from './hide-credentials.ts'

/**
 * Runs Git until it ends, with additional environment variables. If Git cannot be started, the code
 * is null and `stderr` contains the reason. Must not throw.
 */
export type RunGit = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) => Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number | null }>

/**
 * Returns the latest version of a repository: its highest stable version tag, or else its highest
 * pre-release tag. Without a version tag, or if the result is 0.0.0, the version is the commit of
 * the main branch as `0.0.0-x<commit>`. Throws `Error` with Git's message. Source:
 * `GetLatestTagOrHash` in sdk/go/common/util/gitutil/git.go of Pulumi 3.274.1.
 */
export async function findLatestVersionInRepository(url: string, git: RunGit): Promise<string> {
  const output = await runGit(['ls-remote', '--symref', remote], url, git)
  const lines = output.split('\n').map(line => line.split('\t') as [string, string?])
  const versions = lines.flatMap(([, ref = '']) => {
    const version = ref.startsWith('refs/tags/')
      ? parseTagVersion(ref.slice('refs/tags/'.length))
      : undefined
    return version === undefined ? [] : [version]
  })
  const [latestVersion] = versions.sort(
    (a, b) => stabilityOf(b) - stabilityOf(a) || semver.compare(b, a),
  )
  if (latestVersion !== undefined && latestVersion !== '0.0.0') return latestVersion
  const headLine = lines.find(([hash, ref]) => ref === 'HEAD' && /^[0-9a-f]{40,64}$/.test(hash))
  if (headLine !== undefined) return `0.0.0-x${headLine[0]}`
  throw new Error(`${hideCredentials(url)} has neither a version tag nor a main branch`)
}

function stabilityOf(version: string): number {
  return semver.prerelease(version) === null ? 1 : 0
}

/**
 * Checks out a version of a repository into a new folder, without its history. The version is a tag
 * (see `findTag`), the commit of `0.0.0-x<commit>`, or the main branch for 0.0.0. Throws
 * PLUGIN_TOO_LARGE, and `Error` with Git's message. Source:
 * docs/spec/provider-protocol.md#download-sources.
 */
export async function checkOut(
  revision: { readonly url: string; readonly version: string },
  folder: string,
  git: RunGit,
): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  const { url } = revision
  const folderOptions = ['-C', folder]
  const commit = /^0\.0\.0-x(?<hash>[0-9a-fA-F]{4,64})$/.exec(revision.version)?.groups?.['hash']
  await runGit([...folderOptions, 'init', '--quiet'], url, git)
  if (commit === undefined) {
    const ref = revision.version === '0.0.0' ? 'HEAD' : `refs/tags/${await findTag(revision, git)}`
    await runGit(
      [...folderOptions, 'fetch', '--quiet', '--no-tags', '--depth=1', remote, ref],
      url,
      git,
    )
  } else {
    // An abbreviated commit can only be resolved with the whole history.
    const allBranches = '+refs/heads/*:refs/remotes/origin/*'
    await runGit([...folderOptions, 'fetch', '--quiet', '--tags', remote, allBranches], url, git)
  }
  const commitish = commit === undefined ? 'FETCH_HEAD' : `${commit}^{commit}`
  await runGit([...folderOptions, 'checkout', '--quiet', '--detach', commitish], url, git)
  rmSync(join(folder, '.git'), { recursive: true, force: true })
  requireSizeLimits(folder, url)
}

/**
 * Returns the tag of a version: `v<version>`, else `<version>`, else a tag of the same version with
 * fewer parts, such as `v1.2` for 1.2.0. Returns `v<version>` if the repository has none of them.
 */
async function findTag(
  { url, version }: { readonly url: string; readonly version: string },
  git: RunGit,
): Promise<string> {
  const output = await runGit(['ls-remote', '--tags', '--refs', remote], url, git)
  const tags = output.split('\n').map(line => line.split('\trefs/tags/')[1] ?? '')
  const fullTags = [`v${version}`, version]
  return (
    fullTags.find(tag => tags.includes(tag)) ??
    tags.find(tag => parseTagVersion(tag) === version) ??
    `v${version}`
  )
}

/**
 * The name of the remote. Git reads the address of the remote from an environment variable, because
 * arguments are visible in the process list and addresses may contain credentials.
 */
const remote = 'plugin'
const remoteOptions = [
  '--config-env=remote.plugin.url=ANTICHAIN_GIT_URL',
  '-c',
  'core.longpaths=true',
]

async function runGit(args: readonly string[], url: string, git: RunGit): Promise<string> {
  const { stdout, stderr, code } = await git([...remoteOptions, ...args], {
    ANTICHAIN_GIT_URL: url,
  })
  if (code === 0) return stdout
  const reason = stderr
    .trim()
    .slice(-1_000)
    .replaceAll(/\/\/[^/@\s]*@/g, '//')
  throw new Error(
    `${hideCredentials(url)} cannot be read by git: ${reason || `it ended with ${code ?? '?'}`}`,
  )
}

function requireSizeLimits(folder: string, url: string): void {
  let sizeBytes = 0
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries)
    if (entry.isFile()) sizeBytes += statSync(join(entry.parentPath, entry.name)).size
  if (entries.length <= limits.filesMax && sizeBytes <= limits.bytesMax) return
  throw createError(
    'PLUGIN_TOO_LARGE',
    `the repository ${hideCredentials(url)} exceeds the size limit of a plugin`,
  )
}
