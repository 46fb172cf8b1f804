// Says that it has passed the kernels phase, and has nothing that the next one could convert.
module attributes {adze.phase = "kernels"} {
}
