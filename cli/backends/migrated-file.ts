import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stackConfigFileOf } from '../../shared/programs/config/stack-config-file.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { backUpFile } from '../config/back-up-file.ts'
import type { CliSession } from '../session/session.ts'
import type { SourceStack } from './read-source-stack.ts'
import { writeSourceConfig } from './write-source-config.ts'

/** The configuration file of a migrated stack, and the functions that write and restore it. */
export interface MigratedFile {
  readonly path: string
  /**
   * Copies the file once, before its first change, and returns the name of the copy. Returns
   * undefined if the file did not exist.
   */
  readonly backUp: () => string | undefined
  /**
   * Replaces the file with the source's file in this folder, or else with the values of the
   * source's last update. A file that both stacks share stays as it is.
   */
  readonly write: (source: SourceStack) => void
  /** Restores the file as it was, and removes the copy. */
  readonly restore: () => void
}

/**
 * Returns the configuration file of a migrated stack. Returns undefined if the folder does not have
 * the project of the stack. `from`: the id of the stack in the source.
 */
export function openMigratedFile(
  session: CliSession,
  from: StackId,
  target: StackId,
): MigratedFile | undefined {
  const project = findProjectOf(session, target)
  if (project === undefined) return undefined
  const sourcePath = stackConfigFileOf(project, stackPartsOf(from).stack)
  const path = stackConfigFileOf(project, stackPartsOf(target).stack)
  const previousBytes = existsSync(path) ? readFileSync(path) : undefined
  let backup: string | undefined
  const backUp = (): string | undefined => {
    if (backup === undefined && previousBytes !== undefined) backup = backUpFile(path)
    return backup
  }
  return {
    path,
    backUp,
    write(source) {
      if (path !== sourcePath) {
        backUp()
        rmSync(path, { force: true })
        if (existsSync(sourcePath)) copyFileSync(sourcePath, path)
      }
      writeSourceConfig(session, source)
    },
    restore() {
      if (previousBytes === undefined) rmSync(path, { force: true })
      else writeFileSync(path, previousBytes)
      if (backup !== undefined) rmSync(backup, { force: true })
    },
  }
}

function findProjectOf(session: CliSession, id: StackId): Project | undefined {
  try {
    const project = session.requireProject()
    return project.name === stackPartsOf(id).project ? project : undefined
  } catch {
    // A stack can be migrated from any folder. Only its configuration file needs the project.
    return undefined
  }
}
