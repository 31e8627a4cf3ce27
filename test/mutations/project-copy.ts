import { rmSync } from 'node:fs'
import { cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { mutate, type Mutation } from './mutation.ts'

/** A copy of the project with at most one mutation at a time. It exists as long as this process. */
export interface ProjectCopy {
  readonly folder: string
  /** Runs `work` while a mutation is applied. Throws unless its texts occur exactly once each. */
  readonly withMutation: <T>(mutation: Mutation, work: () => Promise<T>) => Promise<T>
}

const folders = ['shared', 'functions', 'local', 'cli', 'test', 'proto']
const files = ['package.json', 'tsconfig.json', 'vitest.config.ts']
const excludedNames = new Set(['node_modules', 'golden', 'e2e'])

/** Copies the sources of a project. The packages are linked. */
export async function createProjectCopy(project: string): Promise<ProjectCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'antichain-mutations-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const filter = (path: string): boolean => !excludedNames.has(basename(path))
  for (const name of folders)
    await cp(join(project, name), join(folder, name), { recursive: true, filter })
  for (const name of files) await cp(join(project, name), join(folder, name))
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'))
  return {
    folder,
    async withMutation(mutation, work) {
      const path = join(folder, mutation.file)
      const source = await readFile(path, 'utf8')
      await writeFile(path, mutate(source, mutation))
      try {
        return await work()
      } finally {
        await writeFile(path, source)
      }
    },
  }
}
