import { readUserId } from '../../shared/platform/system/system-user.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { checkPackageFiles } from '../doctor/check-package-files.ts'
import { checkMachine, readMachineFacts } from '../doctor/check-machine.ts'
import { checkProject } from '../doctor/check-project.ts'
import { checkStore } from '../doctor/check-store.ts'
import type { AreaReport } from '../doctor/finding.ts'
import type { CliSession } from '../session/session.ts'

/**
 * `doctor`: checks the machine, the files of the installed package, the project of the folder, and
 * the store. Prints each finding with the step that corrects it. Returns 1 if there are findings.
 * Changes nothing.
 */
export const diagnose: Handler = async (session, flags) => {
  const reports: readonly AreaReport[] = [
    checkMachine(readMachineFacts(session.home)),
    checkPackageFiles(),
    await checkProject(session),
    checkStore(session.home, readUserId()),
  ]
  const findings = reports.flatMap(report => report.findings)
  if (isJsonOutput(flags)) {
    const facts = Object.fromEntries(reports.map(report => [report.area, report.facts]))
    session.print(JSON.stringify({ findings, facts }, null, 2))
  } else for (const report of reports) printReport(session, report)
  if (!isJsonOutput(flags))
    session.print(
      findings.length === 0 ? 'Found no problems.' : `Found problems: ${findings.length}.`,
    )
  return findings.length === 0 ? 0 : 1
}

function printReport(session: CliSession, { area, facts, findings }: AreaReport): void {
  session.print(`${area}:`)
  for (const fact of facts) session.print(`  ok       ${fact}`)
  for (const { subject, problem, remedy } of findings) {
    session.print(`  problem  ${subject}: ${problem}`)
    session.print(`           hint: ${remedy}`)
  }
}
