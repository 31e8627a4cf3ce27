import type { TypeContext } from './check-context.ts'
import { checkContracts } from './check-contracts.ts'
import type { Contract, ContractInfo } from './contract.ts'
import { terraformCoreContracts } from './core-checks/core-contracts.ts'
import { createContracts } from './create-contracts.ts'
import { cleanUpContract, deleteContracts } from './delete-contracts.ts'
import { previewContracts } from './preview-contracts.ts'
import { closingContracts, handshakeContract, providerContracts } from './provider-contracts.ts'
import { readContracts } from './read-contracts.ts'
import { updateContracts } from './update-contracts.ts'

/** The contracts of a resource type, in the order in which they are checked. */
export const typeContracts: readonly Contract<TypeContext>[] = [
  ...checkContracts,
  ...previewContracts,
  ...createContracts,
  ...readContracts,
  ...updateContracts,
  ...deleteContracts,
]

/** All contracts, for docs/provider-check.md and tests. */
export const allContracts: readonly ContractInfo[] = [
  handshakeContract,
  ...providerContracts,
  ...typeContracts,
  cleanUpContract,
  ...terraformCoreContracts,
  ...closingContracts,
]
