/** The version of Pulumi whose behaviour is followed, and that is told to who asks. */
export const emulatedVersion = '3.260.0'
