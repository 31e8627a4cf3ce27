import type { Handler } from '../arguments/handler.ts'
import { formatTable } from '../display/table.ts'
import { knownVariables } from '../session/known-variables.ts'

/** `about env`: lists the variables that the command line reads, with the values of this process. */
export const showVariables: Handler = session => {
  const { env } = session.io
  const rows = knownVariables.map(({ name, description, isSecret }) => {
    // The launcher moves the caller's value to ANTICHAIN_USER_COMPILE_CACHE, and sets its own one.
    const value = name === 'NODE_COMPILE_CACHE' ? env['ANTICHAIN_USER_COMPILE_CACHE'] : env[name]
    const isUnset = value === undefined || value === ''
    return [name, description, isUnset ? 'unset' : isSecret === true ? '[secret]' : value]
  })
  for (const line of formatTable(['Variable', 'Description', 'Value'], rows)) session.print(line)
  return Promise.resolve(0)
}
