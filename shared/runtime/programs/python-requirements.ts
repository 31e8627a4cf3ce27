import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** The requirements of a Python program. */
export interface PythonRequirements {
  /** The texts of the file and of the files that it includes, in order. */
  readonly texts: readonly string[]
  /** Whether a requirement is a folder or file, whose contents the texts do not show. */
  readonly hasLocalPackages: boolean
}

const includePattern = /^(?:-r|--requirement|-c|--constraint)[\s=]+(\S+)/
const localPattern = /^(?:-e\b|--editable\b|\.{0,2}\/|\.$|file:)|@\s*(?:file:|\.)/

/**
 * Reads a requirements file of pip with the files that it includes. A file that does not exist is
 * omitted, because pip reports it.
 */
export function readRequirements(folder: string, file: string): PythonRequirements {
  const texts: string[] = []
  const visitedFiles = new Set<string>()
  let hasLocalPackages = false
  const visit = (path: string): void => {
    const name = normalize(path)
    if (visitedFiles.has(name) || !existsSync(join(folder, name))) return
    visitedFiles.add(name)
    const text = readFileSync(join(folder, name), 'utf8')
    texts.push(text)
    for (const line of text.split('\n').map(each => each.trim())) {
      hasLocalPackages ||= localPattern.test(line)
      const included = includePattern.exec(line)?.[1]
      if (included !== undefined) visit(join(dirname(name), included))
    }
  }
  visit(file)
  return { texts, hasLocalPackages }
}
