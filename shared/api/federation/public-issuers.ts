/** An issuer at which everyone can obtain tokens, so a rule must name the owner of a token. */
interface PublicIssuer {
  readonly url: string
  /**
   * The claims whose value, or the part before its first slash, identifies the owner of a token.
   */
  readonly ownerClaims: readonly string[]
  /**
   * The text before the owner in the claim `sub`. An owner can configure a `sub` without this
   * prefix, so such a value proves no owner.
   */
  readonly subjectPrefix: string
}

/**
 * The public issuers, by the names that the command line gives them. The claim `job_workflow_ref`
 * of GitHub is no owner claim: every repository can call the public workflow of another repository.
 */
export const publicIssuers: Readonly<Record<'github' | 'gitlab', PublicIssuer>> = {
  github: {
    url: 'https://token.actions.githubusercontent.com',
    ownerClaims: ['repository', 'repository_id', 'repository_owner', 'repository_owner_id'],
    subjectPrefix: 'repo:',
  },
  gitlab: {
    url: 'https://gitlab.com',
    ownerClaims: ['project_path', 'project_id', 'namespace_path', 'namespace_id'],
    subjectPrefix: 'project_path:',
  },
}

/**
 * Terms in names of claims. A claim with such a term in its name describes a token or a job, and no
 * owner, for example `ref_type`, `build_branch` and `runner_environment`.
 */
const jobTerms: ReadonlySet<string> = new Set([
  ...['iss', 'aud', 'azp', 'exp', 'iat', 'nbf', 'jti'],
  ...['ref', 'branch', 'tag', 'sha', 'commit', 'environment', 'tier', 'visibility', 'level'],
  ...['actor', 'event', 'source', 'workflow', 'run', 'runner', 'step'],
])

/**
 * Reports whether the conditions of a rule restrict the tokens of an issuer to some owners. For a
 * public issuer, one condition must fix the value of an owner claim, or its part before a slash.
 * Any other issuer may also give tokens to everyone. For such an issuer, one condition must fix a
 * claim that may name an owner, or an owner claim of a public issuer. Self-managed GitLab and
 * GitHub Enterprise have the owner claims of the public issuers. Pure.
 */
export function restrictsOwner(issuer: string, claims: Readonly<Record<string, string>>): boolean {
  const publicIssuerList = Object.values(publicIssuers)
  const publicIssuer = publicIssuerList.find(({ url }) => url === issuer)
  return Object.entries(claims).some(([claim, pattern]) =>
    publicIssuer === undefined
      ? fixesPossibleOwner(claim, pattern) ||
        publicIssuerList.some(candidate => fixesOwnerClaim(candidate, claim, pattern))
      : fixesOwnerClaim(publicIssuer, claim, pattern),
  )
}

/** Reports whether a pattern has no wildcard and is no boolean, and its claim may name an owner. */
function fixesPossibleOwner(claim: string, pattern: string): boolean {
  const terms = claim.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map(term => term.toLowerCase())
  return !/[*?]|^(?:true|false)$/.test(pattern) && !terms.some(term => jobTerms.has(term))
}

/** Reports whether a pattern fixes the owner in an owner claim or in the claim `sub`. */
function fixesOwnerClaim(publicIssuer: PublicIssuer, claim: string, pattern: string): boolean {
  if (claim !== 'sub') return publicIssuer.ownerClaims.includes(claim) && fixesOwnerPart(pattern)
  const { subjectPrefix } = publicIssuer
  return pattern.startsWith(subjectPrefix) && fixesOwnerPart(pattern.slice(subjectPrefix.length))
}

/**
 * Reports whether a pattern fixes an owner: it has no wildcard, or its part before the first slash
 * is not empty and has no wildcard.
 */
function fixesOwnerPart(pattern: string): boolean {
  const [beforeSlash = '', ...partsAfterSlash] = pattern.split('/')
  return !/[*?]/.test(pattern) || (partsAfterSlash.length > 0 && !/[*?]|^$/.test(beforeSlash))
}
