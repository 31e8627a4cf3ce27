import * as z from 'zod'
import type { PackageSchema } from '../../../shared/providers/package-schema/package-schema.ts'
import { createMemberReader, type Member } from '../package-members.ts'

/** The settings of a schema for SDKs in Node. An invalid setting counts as absent. */
const nodeSettingsForm = z.object({
  packageName: z.string().optional().catch(undefined),
  compatibility: z.string().optional().catch(undefined),
  disableUnionOutputTypes: z.boolean().optional().catch(undefined),
  /** Module of the schema → module of the SDK. */
  moduleToPackage: z.record(z.string(), z.string()).optional().catch(undefined),
})

/** Returns the settings of a package for SDKs in Node. */
export function readNodeSettings({ language }: PackageSchema): z.infer<typeof nodeSettingsForm> {
  const parsed = nodeSettingsForm.safeParse(language?.['nodejs'])
  return parsed.success ? parsed.data : {}
}

/**
 * Returns the function that parses a token. The parsed member has the module of the SDK. Source:
 * Pulumi's pkg/codegen/nodejs/gen.go, tokenToModName, version 3.274.1.
 */
export function createNodeMemberReader(schema: PackageSchema): (token: string) => Member {
  const readMember = createMemberReader(schema)
  const moduleNames = new Map(Object.entries(readNodeSettings(schema).moduleToPackage ?? {}))
  return token => {
    const member = readMember(token)
    return { ...member, module: moduleNames.get(member.module) ?? member.module }
  }
}
