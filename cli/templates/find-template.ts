import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { error } from '../../shared/errors/error.ts'
import { builtInTemplates, type ProjectTemplate } from './built-in-templates.ts'

const ignoredFolders: ReadonlySet<string> = new Set(['.git', 'node_modules', 'venv', '.venv'])
const fileBytesMax = 1024 * 1024
const filesMax = 1_000

/**
 * Returns the template with a name, or the one in a folder. Throws CLI_USAGE for an unknown name,
 * for a repository, and for a folder without a project or with too many or too large files.
 */
export function findTemplate(nameOrFolder: string, cwd: string): ProjectTemplate {
  const builtIn = builtInTemplates.find(({ name }) => name === nameOrFolder)
  if (builtIn !== undefined) return builtIn
  if (/^(https?|ssh|git):|^git@/.test(nameOrFolder))
    throw error('CLI_USAGE', `the template '${nameOrFolder}' is a repository`, {
      hint: 'Clone it with git, and pass its folder.',
    })
  const folder = resolve(cwd, nameOrFolder)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw error('CLI_USAGE', `there is no template '${nameOrFolder}'`, {
      hint: `Use ${builtInTemplates.map(({ name }) => name).join(', ')}, or a folder.`,
    })
  const paths = listFiles(folder, folder)
  if (!paths.includes('Pulumi.yaml'))
    throw error('CLI_USAGE', `the folder ${folder} has no Pulumi.yaml`, {
      hint: 'Pass the folder of a template or program.',
    })
  const files = new Map(paths.map(path => [path, readFileSync(join(folder, path), 'utf8')]))
  return { name: basename(folder), description: '', files }
}

/** Returns the paths of the files below a folder, without stack files. */
function listFiles(root: string, folder: string): readonly string[] {
  const paths = readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ignoredFolders.has(entry.name) ? [] : listFiles(root, path)
    if (!entry.isFile() || /^Pulumi\.[^.]+\.(yaml|json)$/.test(entry.name)) return []
    if (lstatSync(path).size > fileBytesMax)
      throw error('CLI_USAGE', `the file ${path} of the template is larger than 1 MB`)
    return [relative(root, path)]
  })
  if (paths.length > filesMax)
    throw error('CLI_USAGE', `the template has more than ${filesMax} files`)
  return paths
}
