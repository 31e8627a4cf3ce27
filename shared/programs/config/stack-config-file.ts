import { extname, join } from 'node:path'
import type { Project } from '../project/project.ts'

/**
 * Returns the path of a stack's configuration file: `Pulumi.<stack>` in the project's folder for
 * stack files, with the extension of the project file.
 */
export function stackConfigFileOf(
  { file, stackConfigDir }: Pick<Project, 'file' | 'stackConfigDir'>,
  stack: string,
): string {
  const name = `Pulumi.${stack.replaceAll('/', '-')}${extname(file)}`
  return join(stackConfigDir, name)
}
