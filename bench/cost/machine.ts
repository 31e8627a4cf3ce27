import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem } from 'node:os'
import { root } from '../engine.ts'

/** The machine of a run, for people. */
export function machineNow(): string {
  const gib = Math.round(totalmem() / 2 ** 30)
  const model = cpus()[0]?.model.trim() ?? 'unknown'
  const [, kernel = ''] = /^(\d+\.\d+)/.exec(release()) ?? []
  return `${cpus().length} x ${model}, ${gib} GiB, ${process.platform} ${kernel}`
}

/** The commit that was measured. */
export function commitNow(): string {
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  }).trim()
}

/** Today, as in 2026-01-31. */
export const today = (): string => new Date().toISOString().slice(0, 10)
