import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseDocument } from 'yaml'
import { DeployError, hasCode, messageOf } from '../../shared/errors/error.ts'
import { findNodeSdk } from '../../shared/programs/hosts/node-sdk.ts'
import { findProjectFile } from '../../shared/programs/project/find-project-file.ts'
import { locateProgram } from '../../shared/programs/project/project-file.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { findConflictLine } from '../../shared/programs/project/yaml-source.ts'
import { findRuntimeVersion } from '../project/runtime-version.ts'
import type { CliSession } from '../session/session.ts'
import { type AreaReport, createAreaReport, type Finding } from './finding.ts'

/** The result of a check: a fact that is in order, or a finding. */
type CheckResult = string | Omit<Finding, 'area'>

/** Checks the project of the session's folder: its files, its language and its SDK. */
export async function checkProject(session: CliSession): Promise<AreaReport> {
  let file: string
  try {
    file = findProjectFile(session.cwd)
  } catch (thrown) {
    if (!hasCode(thrown, 'PROJECT_NOT_FOUND')) throw thrown
    return createAreaReport('project', [`no project in ${session.cwd} or a folder above it`])
  }
  const folder = dirname(file)
  const stackFiles = readdirSync(folder)
    .filter(name => /^Pulumi\..+\.ya?ml$/.test(name))
    .map(name => join(folder, name))
  const yamlFindings = checkYamlFile(file)
  const checks: CheckResult[] = [...yamlFindings, ...stackFiles.flatMap(checkYamlFile)]
  try {
    const project = session.requireProject()
    checks.push(`project '${project.name}' with ${stackFiles.length} stack files: ${file}`)
    const { programFolder } = locateProgram(project)
    checks.push(await checkLanguage(session, project))
    if (project.runtime === 'nodejs') checks.push(checkNodeSdk(programFolder))
  } catch (thrown) {
    // A project file that is not YAML is already a finding, with the same cause.
    if (yamlFindings.length === 0) checks.push(toFinding(file, thrown))
  }
  return createAreaReport('project', checks)
}

/** Returns the finding about a file with conflict markers or with invalid YAML, if it has one. */
export function checkYamlFile(file: string): readonly Omit<Finding, 'area'>[] {
  const text = readFileSync(file, 'utf8')
  const line = findConflictLine(text)
  if (line !== undefined) {
    const problem = `line ${line} has a conflict marker of git`
    const remedy = 'Resolve the conflict: keep one of the versions, and remove the marker lines.'
    return [{ subject: file, problem, remedy }]
  }
  const [defect] = parseDocument(text).errors
  if (defect === undefined) return []
  const [problem = ''] = defect.message.split('\n')
  return [{ subject: file, problem, remedy: 'Correct the YAML at this position.' }]
}

async function checkLanguage(session: CliSession, project: Project): Promise<CheckResult> {
  try {
    const { language, version, executable } = await findRuntimeVersion(session, project)
    return `the language ${language} is installed: ${executable}${version === '' ? '' : `, ${version}`}`
  } catch (thrown) {
    return toFinding(`language ${project.runtime}`, thrown)
  }
}

/** Looks for the SDK as the host of programs does. */
function checkNodeSdk(programFolder: string): CheckResult {
  try {
    return `the Pulumi SDK is installed: ${findNodeSdk(programFolder, '').root}`
  } catch (thrown) {
    if (!hasCode(thrown, 'PROGRAM_SDK_MISSING')) return toFinding(programFolder, thrown)
    return {
      subject: programFolder,
      problem: 'the Pulumi SDK is not installed',
      remedy: `Run \`antichain install\`, or \`npm install\` in ${programFolder}.`,
    }
  }
}

function toFinding(subject: string, thrown: unknown): Omit<Finding, 'area'> {
  const remedy = thrown instanceof DeployError ? thrown.hint : 'Read the message.'
  return { subject, problem: messageOf(thrown), remedy }
}
