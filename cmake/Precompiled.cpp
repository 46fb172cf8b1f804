// Exists so that one precompiled header can be shared by every room of the compiler.
