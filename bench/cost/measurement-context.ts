import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem } from 'node:os'
import { repositoryRoot } from '../engine.ts'

/** Returns a description of this machine, for the report of a measurement. */
export function describeMachine(): string {
  const gib = Math.round(totalmem() / 2 ** 30)
  const model = cpus()[0]?.model.trim() ?? 'unknown'
  const [, kernel = ''] = /^(\d+\.\d+)/.exec(release()) ?? []
  return `${cpus().length} x ${model}, ${gib} GiB, ${process.platform} ${kernel}`
}

/** Returns the command that ran a benchmark, with the arguments of this process. */
export function formatBenchCommand(name: string): string {
  return ['npm run bench --', name, ...process.argv.slice(2)].join(' ')
}

/** Returns the short hash of the current commit of the repository. */
export function readCommit(): string {
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  }).trim()
}

/** Returns the current date, as in 2026-01-31. */
export const formatCurrentDate = (): string => new Date().toISOString().slice(0, 10)
