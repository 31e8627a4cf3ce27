import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { GenerateProjectRequest, LanguageRuntimeService } from '../../proto/gen/pulumi/language.ts'
import { messageOf } from '../../shared/errors/error.ts'
import { type LanguageHostDeps, startHost } from '../../shared/programs/hosts/language-host.ts'
import { isRecord } from '../../shared/programs/is-record.ts'
import { keepIntegerDigits, openYaml } from '../../shared/programs/project/yaml-source.ts'
import { copyFiles } from './copy-files.ts'
import { createCodeGenerationError, refuseErrorDiagnostics } from './generate-program.ts'

/** A project to generate from a folder with a program of Pulumi's configuration language. */
export interface ProjectToGenerate {
  readonly runtime: string
  /** The folder of the program. */
  readonly sourceFolder: string
  /** The new folder of the project. */
  readonly targetFolder: string
  /** The name of the project, unless the folder of the program has a project file. */
  readonly name: string
  /** Whether the conversion fails on errors such as missing variables. */
  readonly isStrict: boolean
}

/**
 * Lets the host of a language write a project, and copies the other files of the program. Throws
 * RUNTIME_UNKNOWN without a host, PROJECT_INVALID, and CODE_GENERATION_FAILED.
 */
export async function generateProject(
  deps: LanguageHostDeps,
  project: ProjectToGenerate,
  onLine: (line: string) => void,
): Promise<void> {
  const { runtime, sourceFolder, targetFolder, isStrict } = project
  const folders = { projectFolder: targetFolder, programFolder: targetFolder }
  const source = { runtime, ...folders, entryPoint: '.', runtimeOptions: {} }
  const address = deps.engineAddress()
  const host = await startHost(deps, source, onLine)
  try {
    const request = GenerateProjectRequest.create({
      sourceDirectory: sourceFolder,
      targetDirectory: targetFolder,
      strict: isStrict,
      project: JSON.stringify(readProjectFields(project), keepIntegerDigits),
      loaderTarget: address,
      mapperTarget: address,
    })
    const { diagnostics } = await host
      .call(LanguageRuntimeService.generateProject, request)
      .catch((cause: unknown) => {
        throw createCodeGenerationError(messageOf(cause), { cause })
      })
    refuseErrorDiagnostics(diagnostics)
  } finally {
    await host.close()
  }
  copyFiles(sourceFolder, targetFolder, isOtherFile)
}

/** Reports whether a file is neither the program nor its project file. */
function isOtherFile(name: string): boolean {
  return name !== 'Pulumi.yaml' && extname(name) !== '.pp'
}

/** Returns the fields of a program's project file. Without that file, returns only the name. */
function readProjectFields({
  sourceFolder,
  name,
}: Pick<ProjectToGenerate, 'sourceFolder' | 'name'>): Readonly<Record<string, unknown>> {
  const file = join(sourceFolder, 'Pulumi.yaml')
  if (!existsSync(file)) return { name }
  const text = readFileSync(file, 'utf8')
  const content: unknown = openYaml(text, file, 'PROJECT_INVALID').document.toJS()
  return isRecord(content) ? { name, ...content } : { name }
}
