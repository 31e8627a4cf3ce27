import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createError, messageOf } from '../../shared/errors/error.ts'

/** Returns the selected stack of a project file, or '' if no stack is selected. */
export function readSelectedStack(home: string, projectFile: string): string {
  try {
    const data: unknown = JSON.parse(readFileSync(selectionFileOf(home, projectFile), 'utf8'))
    if (typeof data !== 'object' || data === null || !('stack' in data)) return ''
    return typeof data.stack === 'string' ? data.stack : ''
  } catch {
    // No stack was selected yet, or the file is damaged. The user must select a stack again.
    return ''
  }
}

/**
 * Saves the selected stack of a project file. With '', no stack is selected. Throws
 * STORE_UNAVAILABLE.
 */
export function selectStack(home: string, projectFile: string, stack: string): void {
  const file = selectionFileOf(home, projectFile)
  try {
    if (stack === '') return rmSync(file, { force: true })
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.${process.pid}`, `${JSON.stringify({ stack, project: projectFile })}\n`)
    renameSync(`${file}.${process.pid}`, file)
  } catch (cause) {
    throw createError('STORE_UNAVAILABLE', `cannot save the selected stack: ${messageOf(cause)}`, {
      cause,
    })
  }
}

function selectionFileOf(home: string, projectFile: string): string {
  const hash = createHash('sha256').update(projectFile).digest('hex').slice(0, 16)
  return join(home, 'workspaces', `${basename(dirname(projectFile))}-${hash}.json`)
}
