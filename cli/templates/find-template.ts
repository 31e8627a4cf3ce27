import { lstatSync, readdirSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { createError } from '../../shared/errors/error.ts'
import { readOutputFile } from '../project/output-file.ts'
import type { ProjectTemplate } from './project-template.ts'

const ignoredFolders: ReadonlySet<string> = new Set(['.git', 'node_modules', 'venv', '.venv'])
const fileBytesMax = 1024 * 1024
const filesMax = 1_000

/** The named templates, and the file that the folder of any other template must contain. */
export interface TemplateKind {
  readonly builtIn: readonly ProjectTemplate[]
  readonly projectFile: string
}

/**
 * Returns the template with a name, or the one in a folder. Throws CLI_USAGE for an unknown name,
 * and for a folder without a project or with too many or too large files.
 */
export function findTemplate(
  nameOrFolder: string,
  cwd: string,
  { builtIn, projectFile }: TemplateKind,
): ProjectTemplate {
  const namedTemplate = builtIn.find(({ name }) => name === nameOrFolder)
  if (namedTemplate !== undefined) return namedTemplate
  const folder = resolve(cwd, nameOrFolder)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw createError('CLI_USAGE', `there is no template '${nameOrFolder}'`, {
      hint: `Use ${builtIn.map(({ name }) => name).join(', ')}, a folder, or the address of a git repository.`,
    })
  const paths = listFiles(folder, folder)
  if (!paths.includes(projectFile))
    throw createError('CLI_USAGE', `the folder ${folder} has no ${projectFile}`, {
      hint: 'Pass the folder of a template or program.',
    })
  const files = new Map(paths.map(path => [path, readOutputFile(join(folder, path))]))
  return { name: basename(folder), description: '', files }
}

/**
 * Returns the paths of the files below a folder. Omits stack files, links, and the folders of git,
 * of Node packages and of virtual environments.
 */
function listFiles(root: string, folder: string): readonly string[] {
  const paths = readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ignoredFolders.has(entry.name) ? [] : listFiles(root, path)
    if (!entry.isFile() || /^Pulumi\..+\.(ya?ml|json)$/.test(entry.name)) return []
    if (lstatSync(path).size > fileBytesMax)
      throw createError('CLI_USAGE', `the file ${path} of the template is larger than 1 MB`)
    return [relative(root, path)]
  })
  if (paths.length > filesMax)
    throw createError('CLI_USAGE', `the template has more than ${filesMax} files`)
  return paths
}
