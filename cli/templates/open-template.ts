import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createError, messageOf } from '../../shared/errors/error.ts'
import { hideCredentials } from '../../shared/providers/install/hide-credentials.ts'
import type { CliSession } from '../session/session.ts'
import { findTemplate, type TemplateKind } from './find-template.ts'
import type { ProjectTemplate } from './project-template.ts'

const cloneTimeoutMs = 120_000

/**
 * A repository with templates. `branch` '' = the main branch. `folder` '' = the root of the
 * repository.
 */
export interface TemplateRepository {
  readonly url: string
  readonly branch: string
  readonly folder: string
}

/**
 * Returns the template with a name, in a folder, or in a repository, which git clones into a
 * temporary folder. Throws CLI_USAGE, also for a repository that git cannot read.
 */
export async function openTemplate(
  operand: string,
  { cwd, io }: Pick<CliSession, 'cwd' | 'io'>,
  kind: TemplateKind,
): Promise<ProjectTemplate> {
  const repository = parseTemplateRepository(operand)
  if (repository === undefined) return findTemplate(operand, cwd, kind)
  const clone = mkdtempSync(join(tmpdir(), 'antichain-template-'))
  try {
    await cloneRepository(repository, clone, io.env)
    return findTemplate(join(clone, repository.folder), cwd, kind)
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
}

/**
 * Returns the repository that an address names, undefined for a name or a folder. An `https`
 * address may end with `/tree/<branch>` and a folder, as in a browser, or with a folder only.
 * Throws CLI_USAGE for a folder outside of the repository.
 */
export function parseTemplateRepository(operand: string): TemplateRepository | undefined {
  if (/^((ssh|file):\/\/|git@)/.test(operand)) return { url: operand, branch: '', folder: '' }
  if (!/^https?:\/\//.test(operand)) return undefined
  const [, url, branch = '', folder = ''] =
    /^(https?:\/\/[^/]+\/[^/]+\/[^/]+)(?:\/tree\/([^/]+))?(?:\/(.*))?$/.exec(operand) ?? []
  if (url === undefined || folder.split('/').includes('..'))
    throw createError('CLI_USAGE', `invalid address of a repository: ${hideCredentials(operand)}`, {
      hint: 'Use https://<host>/<owner>/<repository>, optionally with /tree/<branch>/<folder>.',
    })
  return { url, branch, folder }
}

async function cloneRepository(
  { url, branch }: TemplateRepository,
  folder: string,
  env: CliSession['io']['env'],
): Promise<void> {
  const branchArgs = branch === '' ? [] : ['--branch', branch]
  const args = ['clone', '--quiet', '--depth', '1', ...branchArgs, '--', url, folder]
  try {
    await promisify(execFile)('git', args, {
      env: { ...env, GIT_TERMINAL_PROMPT: '0' },
      timeout: cloneTimeoutMs,
    })
  } catch (cause) {
    // The first line of the message is the command, which may contain credentials.
    const reason = messageOf(cause).trim().split('\n').slice(1).join(' ')
    throw createError(
      'CLI_USAGE',
      `git cannot read the template ${hideCredentials(url)}: ${reason.replaceAll(url, '') || 'it ended without a message'}`,
      { cause, hint: 'Check the address, the network and the credentials of git.' },
    )
  }
}
