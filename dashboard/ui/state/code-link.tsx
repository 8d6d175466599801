import { Anchor } from '@mantine/core'

/** A failure code or a problem code, with its page of the API's reference. */
export const CodeLink = ({ code }: { code: string }) => (
  <Anchor href={`/problems/${code}`} target="_blank" rel="noreferrer">
    <code>{code}</code>
  </Anchor>
)
