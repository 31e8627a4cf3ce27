/**
 * The permissions that the functions of a test run have used. Each sandbox adds its uses to a
 * folder, and a last test compares them with the permissions that the template gives.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PermissionUse } from '../../infra/local-cloud/permissions/permission-proxy.ts'

/** The folder of the uses. Undefined unless all tests of the tier `aws` run. */
export const ledgerFolder = process.env['ANTICHAIN_PERMISSION_LEDGER']

/** The uses of one installation. */
export interface PermissionLedger {
  readonly add: (use: PermissionUse) => void
  /** Returns the name of the function or task that has a role. */
  readonly processOf: (role: string) => string
  /** Appends the uses to the folder. */
  readonly save: () => void
}

/** Creates the ledger of an installation. Equal uses count once. */
export function createPermissionLedger(location: {
  readonly installation: string
  readonly region: string
}): PermissionLedger {
  const { installation, region } = location
  const uses = new Set<string>()
  // A role is named `<installation>-<process>-<region>`.
  const processOf = (role: string): string =>
    role.slice(installation.length + 1, -(region.length + 1))
  return {
    processOf,
    add: ({ role, action, statement }) =>
      void uses.add(useKeyOf(processOf(role), statement, action)),
    save: () => {
      if (ledgerFolder === undefined) return
      const text = [...uses].map(use => `${use}\n`).join('')
      appendFileSync(join(ledgerFolder, `${process.pid}.txt`), text)
    },
  }
}

/** Returns the text of a use: the function or task, the index of the statement, and the action. */
export function useKeyOf(processName: string, statement: number, action: string): string {
  return `${processName} ${statement} ${action}`
}

/** Returns the uses of all sandboxes. */
export function readPermissionUses(folder: string): ReadonlySet<string> {
  const files = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
  return new Set(files.flatMap(text => text.split('\n').filter(line => line !== '')))
}
