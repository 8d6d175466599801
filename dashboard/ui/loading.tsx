import { Center, Loader } from '@mantine/core'

export function Loading() {
  return (
    <Center mih={240} aria-busy="true">
      <Loader />
    </Center>
  )
}
