/** A template of a project. */
export interface ProjectTemplate {
  readonly name: string
  readonly description: string
  /** The files by their paths, relative to the folder of the project. */
  readonly files: ReadonlyMap<string, TemplateFile>
}

/** A file of a template. */
export interface TemplateFile {
  /**
   * A text, in which `${PROJECT}` and `${DESCRIPTION}` stand for the name and the description of the
   * project. The bytes of a file that is not text are written unchanged.
   */
  readonly content: string | Uint8Array
  readonly isExecutable: boolean
}

/** Returns a template of this package, with texts by their paths. */
export function createTextTemplate(
  name: string,
  description: string,
  texts: ReadonlyMap<string, string>,
): ProjectTemplate {
  const files = [...texts].map(
    ([path, content]) => [path, { content, isExecutable: false }] as const,
  )
  return { name, description, files: new Map(files) }
}
