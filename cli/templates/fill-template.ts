import { isMap, parseDocument } from 'yaml'
import { isRecord } from '../../shared/programs/is-record.ts'
import type { OutputFile } from '../project/output-file.ts'
import type { ProjectTemplate } from './project-template.ts'

/** A configuration value for which a template asks. */
export interface TemplateValue {
  readonly key: string
  readonly description: string
  /** '' = the template has no default. */
  readonly defaultText: string
  readonly isSecret: boolean
}

/** A template with the name and description of a project. */
export interface FilledTemplate {
  readonly files: ReadonlyMap<string, OutputFile>
  readonly values: readonly TemplateValue[]
}

/**
 * Replaces the placeholders in the files of a template. The project file gets the name and the
 * description, and loses `template`, whose values are returned.
 */
export function fillTemplate(
  template: ProjectTemplate,
  project: { readonly name: string; readonly description: string },
): FilledTemplate {
  const fill = (text: string): string =>
    text
      .replaceAll('${PROJECT}', () => project.name)
      .replaceAll('${DESCRIPTION}', () => project.description)
  const files = new Map(
    [...template.files].map(([path, { content, isExecutable }]) => [
      path,
      { content: typeof content === 'string' ? fill(content) : content, isExecutable },
    ]),
  )
  // The fields are set in the parsed file, because a description in place of its placeholder may
  // make the YAML invalid.
  const projectFile = template.files.get('Pulumi.yaml')?.content ?? ''
  const document = parseDocument(projectFile.toString())
  const values = readValues(document.toJS())
  document.set('name', project.name)
  if (project.description === '') document.delete('description')
  else document.set('description', project.description)
  document.delete('template')
  if (isMap(document.contents))
    files.set('Pulumi.yaml', {
      content: document.toString({ lineWidth: 0 }),
      isExecutable: false,
    })
  return { files, values }
}

function readValues(content: unknown): readonly TemplateValue[] {
  const section = isRecord(content) && isRecord(content['template']) ? content['template'] : {}
  const config = isRecord(section['config']) ? section['config'] : {}
  return Object.entries(config).map(([key, entry]) => {
    const fields = isRecord(entry) ? entry : { default: entry }
    return {
      key,
      description: toText(fields['description']),
      defaultText: toText(fields['default']),
      isSecret: fields['secret'] === true,
    }
  })
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}
