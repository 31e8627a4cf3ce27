import { createTextFiles, type OutputFile } from '../project/output-file.ts'

/** A template of a project. */
export interface ProjectTemplate {
  readonly name: string
  readonly description: string
  /**
   * The files by their paths, relative to the folder of the project. In texts, `${PROJECT}` and
   * `${DESCRIPTION}` stand for the name and the description of the project.
   */
  readonly files: ReadonlyMap<string, OutputFile>
}

/** Returns a template of this package, with texts by their paths. */
export function createTextTemplate(
  name: string,
  description: string,
  texts: ReadonlyMap<string, string>,
): ProjectTemplate {
  return { name, description, files: createTextFiles(texts) }
}
